//! Where attempts run: this machine for now, behind one trait.

//! Growing files: reading on from where one stopped, and being told when to.

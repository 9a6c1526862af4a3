//! Processes: identity, forking, signals, trees and what is left of them.

//! The control problems that the demo evaluates: real dynamics, integrated and controlled without clock or files.

pub mod acrobot;
pub mod cart_pole;
pub mod episode;
pub mod integrate;
pub mod mountain_car;
pub mod pendulum;
pub mod problem;
pub mod random;
pub mod sweep;
pub mod task;

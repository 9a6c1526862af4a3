//! The NVIDIA driver behind NVML.

pub mod driver;
pub mod error;
pub mod lists;
pub mod raw;
pub mod reader;
pub mod violations;
pub mod xids;

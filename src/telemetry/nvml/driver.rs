//! The NVIDIA driver behind NVML: its library is opened once and hands out a reader for each GPU.

use std::ffi::OsStr;

use nvml_wrapper::{Nvml, cuda_driver_version_major, cuda_driver_version_minor};

use crate::model::ids::GpuIndex;
use crate::telemetry::gpu_source::GpuSource;
use crate::telemetry::nvml::error;
use crate::telemetry::nvml::reader::NvmlReader;

/// The variable that names the driver's library where the system does not find it.
const LIBRARY: &str = "SWEEPDECK_NVML";

/// GPUs behind the NVIDIA driver.
#[derive(Debug)]
pub struct NvmlSource {
    /// Never closed: a reader may hang in a call for as long as the process lives, and opening the library again wakes
    /// sleeping GPUs.
    nvml: &'static Nvml,
    driver: Option<String>,
}

/// Opens the driver's library, or returns in a sentence why there is none.
pub fn open_driver() -> Result<NvmlSource, String> {
    match std::env::var_os(LIBRARY).filter(|path| !path.is_empty()) {
        Some(path) => {
            open_library(&path).map_err(|reason| format!("{reason} ({LIBRARY}={})", path.display()))
        }
        // Not the plain `libnvidia-ml.so`: that name comes with development packages only.
        None => open_library("libnvidia-ml.so.1".as_ref()),
    }
}

/// Opens the named library.
pub fn open_library(library: &OsStr) -> Result<NvmlSource, String> {
    let nvml = Nvml::builder().lib_path(library).init().map_err(|error| error::explain_absence(&error))?;
    let driver = nvml.sys_driver_version().ok();
    Ok(NvmlSource { nvml: Box::leak(Box::new(nvml)), driver })
}

impl NvmlSource {
    /// The newest version of CUDA that the driver serves.
    pub fn cuda_version(&self) -> Option<String> {
        let version = self.nvml.sys_cuda_driver_version().ok()?;
        Some(format!("{}.{}", cuda_driver_version_major(version), cuda_driver_version_minor(version)))
    }
}

impl GpuSource for NvmlSource {
    type Reader = NvmlReader;

    fn driver_version(&self) -> String {
        self.driver.clone().unwrap_or_else(|| "unknown".to_owned())
    }

    fn create_readers(&self) -> Result<Vec<NvmlReader>, String> {
        let count = self.nvml.device_count().map_err(|error| error::explain_absence(&error))?;
        let driver = self.driver.as_deref();
        Ok((0..count).map(|index| NvmlReader::new(self.nvml, GpuIndex(index), driver)).collect())
    }
}

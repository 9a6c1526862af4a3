//! The critical errors that the driver reports of one GPU, by their Xid numbers.

use std::fmt;

use nvml_wrapper::bitmasks::event::EventTypes;
use nvml_wrapper::enums::event::XidError;
use nvml_wrapper::{Device, EventSet, Nvml};

use crate::model::machine::gpu_health::GpuFaultKind;

/// How long is waited for an event. Not 0, which the header does not define; events wait in the driver meanwhile.
const WAIT_MS: u32 = 1;

/// A GPU that fails reports the same error thousands of times; the rest is passed on at the next reading.
const MOST: usize = 32;

/// The number used for an error whose number is not known.
const UNKNOWN: u64 = 999;

/// A set of events with one GPU in it, so that whose they are is known even when that GPU answers nothing any more.
#[derive(Default)]
pub struct Xids {
    set: Option<EventSet<'static>>,
}

impl Xids {
    /// Listens from now on, where GPU and driver can report errors.
    pub fn start_listening(&mut self, nvml: &'static Nvml, device: &Device<'static>) {
        // Asked first, because a registration that fails takes the set with it.
        let can_tell = device.supported_event_types();
        if !can_tell.is_ok_and(|types| types.contains(EventTypes::CRITICAL_XID_ERROR)) {
            return;
        }
        let Ok(set) = nvml.create_event_set() else { return };
        self.set = device.register_events(EventTypes::CRITICAL_XID_ERROR, set).ok();
    }

    /// Returns the errors reported since the last call.
    pub fn take_new_faults(&self) -> Vec<GpuFaultKind> {
        let mut news = Vec::new();
        while let Some(set) = &self.set
            && news.len() < MOST
            && let Ok(event) = set.wait(WAIT_MS)
        {
            news.extend(event.event_data.map(|xid| match xid {
                XidError::Value(code) => GpuFaultKind::Xid { code },
                XidError::Unknown => GpuFaultKind::Xid { code: UNKNOWN },
            }));
        }
        news
    }
}

impl fmt::Debug for Xids {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Xids").field("listens", &self.set.is_some()).finish()
    }
}

//! A stand-in for NVIDIA's `libnvidia-ml.so.1`: it exports the calls that sweepdeck makes, with the structs and return
//! codes of `nvml.h`, and answers as a script says.
//!
//! The script is the file `gpus.txt` in the folder where the library itself lies, read anew at every call, so that a
//! test changes the machine by replacing that file (by rename, so that nobody reads half of it). For example:
//!
//! ```text
//! driver 570.86.10            # what nvmlSystemGetDriverVersion says
//! gpu 0
//!   name NVIDIA H100 80GB HBM3
//!   total 96 GiB
//!   compute 4242 39 GiB       # a process and what it holds; one line each, also `graphics` and `mps`
//!   compute 4243 n/a          # the driver does not say how much
//!   used 1 GiB                # held by nobody in the lists
//!   power 310                 # watts
//!   power-cap 700
//!   throttle power-cap sync-boost
//! gpu 1
//!   answer lost               # every call about this GPU
//! shards 2 GiB                # see below
//! delay 4                     # every call about a GPU takes up to 4 ms before and after its answer is found
//! ```
//!
//! Everything about a GPU that has no line is `NVML_ERROR_NOT_SUPPORTED`, but for its name, UUID
//! (`GPU-00000000-0000-0000-0000-00000000000N`) and memory (80 GiB, none used). The fields are `utilization` (percent),
//! `power`, `power-cap` (W), `energy` (J), `temperature`, `slowdown`, `margin` (°C), `clock-sm`, `clock-memory` (MHz),
//! `throttle` (names or nothing), `power-violation`, `thermal-violation` (seconds so far), `ecc` (uncorrected errors),
//! `minor` (of `/dev/nvidiaN`), `mig` (`on`, `off`), `events` (`yes`: Xid events can be waited for) and `xid` (one line per event). In place of a
//! value, and after `answer`, `init`, `memory`, `compute` and the like, may stand a way to fail:
//! `not-supported no-permission invalid not-found timeout lost reset-required irq power-cable mismatch unknown`, or
//! `hang`, which lasts until the script says something else. `short N` lets the first N calls that fill a list find it
//! grown since it was counted. `garbled` fills third-version lists with nonsense.
//!
//! What processes hold can also come from them:
//!
//! - `shards SIZE` gives each shard's main process (session leader, with `SWEEPDECK_RUN` below the library's folder and
//!   `SWEEPDECK_SHARD`) so much on each GPU of its `CUDA_VISIBLE_DEVICES`.
//! - A living process with a file `held/PID` in the library's folder holds what the file says, e.g. `3 GiB`, on each GPU
//!   of its `CUDA_VISIBLE_DEVICES`: a shard may run `echo 3 GiB > "$SWEEPDECK_RUN/../held/$$"`.
//!
//! Built with `--cfg old`, it lacks what came with driver 510 (third-version lists, `nvmlDeviceGetMemoryInfo_v2`), and
//! with `--cfg oldest` also what came with 450 (second-version lists).

#![allow(unsafe_code, reason = "the calls are those of a C library")]
#![allow(unexpected_cfgs, reason = "`old` is set by the tests that build this, which is not cargo")]

mod events;
mod fields;
mod holders;
mod lists;
mod machine;
mod script;

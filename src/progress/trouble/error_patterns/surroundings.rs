//! What a program lacks around it: libraries, programs, room on the disk, a free port, an answer to its question.

use crate::progress::reading::NO_COMMAND;
use crate::progress::trouble::alerts::AlertMeaning;
use crate::progress::trouble::alerts::AlertPart;
use crate::progress::trouble::alerts::ErrorPattern;
use crate::progress::trouble::alerts::LineCondition;
use crate::progress::trouble::parts::library;
use crate::progress::trouble::parts::port;
use crate::progress::trouble::parts::program;
use crate::progress::trouble::parts::program_to_run;
use crate::progress::trouble::parts::python_module;

const CONDA: &str = "conda-not-activated";

/// Error patterns of what a program lacks around it.
pub const SURROUNDINGS: &[ErrorPattern] = &[
    // What is not installed. A missing program may be one that only measures.
    ErrorPattern::new(CONDA, "conda: command not found", AlertMeaning::Explains).on("conda"),
    ErrorPattern::new(CONDA, ": conda: not found", AlertMeaning::Explains).on("conda"),
    ErrorPattern::new(CONDA, "CondaError: Run 'conda init'", AlertMeaning::Explains).on("conda"),
    ErrorPattern::new(CONDA, "properly configured to use 'conda activate'", AlertMeaning::Explains)
        .on("conda"),
    ErrorPattern::new(CONDA, "EnvironmentNameNotFound: ", AlertMeaning::Explains).on("conda"),
    ErrorPattern::new("missing-library", "failed to run command ", AlertMeaning::Explains)
        .given(LineCondition::Reads(program_to_run))
        .part(AlertPart::On(program_to_run)),
    ErrorPattern::new("missing-library", "/usr/bin/env: ", AlertMeaning::Explains)
        .given(LineCondition::Reads(program_to_run))
        .part(AlertPart::On(program_to_run)),
    ErrorPattern::new(NO_COMMAND, ": command not found", AlertMeaning::Tells).part(AlertPart::On(program)),
    ErrorPattern::new(NO_COMMAND, "/bin/sh: 1: ", AlertMeaning::Tells)
        .given(LineCondition::With(": not found"))
        .part(AlertPart::On(program)),
    ErrorPattern::new(NO_COMMAND, "' is not recognized as an internal or external", AlertMeaning::Tells)
        .part(AlertPart::On(program)),
    ErrorPattern::new("missing-library", "could not select device driver", AlertMeaning::Explains)
        .on("NVIDIA container toolkit"),
    missing_library("error while loading shared libraries: "),
    // Libraries that can do without it only warn.
    missing_library(": cannot open shared object file").given(LineCondition::Thrown),
    ErrorPattern::new("missing-library", ": cannot open shared object file", AlertMeaning::Tells)
        .given(LineCondition::WithoutAny(OPTIONAL_LIBRARIES))
        .part(AlertPart::On(library)),
    missing_library(": undefined symbol: ").given(LineCondition::Thrown),
    missing_library("cannot allocate memory in static TLS block"),
    ErrorPattern::new("missing-library", "or one of its dependencies", AlertMeaning::Explains)
        .given(LineCondition::With("Error loading "))
        .part(AlertPart::On(library)),
    ErrorPattern::new("missing-library", "ImportError: DLL load failed", AlertMeaning::Explains)
        .given(LineCondition::AtStart)
        .part(AlertPart::On(python_module)),
    missing_module("ModuleNotFoundError: No module named ").given(LineCondition::AtStart),
    missing_module("ImportError: No module named ").given(LineCondition::AtStart),
    missing_module("python: No module named "),
    missing_module("python3: No module named "),
    ErrorPattern::new("missing-script", ": can't open file '", AlertMeaning::Explains)
        .given(LineCondition::With("ython")),
    missing_module("Error while finding module specification for "),
    ErrorPattern::new("missing-library", "Cannot initialize a EGL device display", AlertMeaning::Explains)
        .on("EGL"),
    thrown("missing-library", "has no attribute 'eglQueryString'").on("EGL"),
    ErrorPattern::new("missing-library", "Render Error", AlertMeaning::Explains)
        .given(LineCondition::AtStart)
        .on("the renderer of SAPIEN"),
    no_egl("unable to find EGL device for CUDA device"),
    no_egl("unable to find CUDA device ").given(LineCondition::With("EGL devices")),
    no_egl("Unable to create windowless context"),
    no_egl("failed to EGL with glad"),
    ErrorPattern::new("missing-library", "Cannot use OSMesa rendering platform", AlertMeaning::Explains)
        .on("OSMesa"),
    ErrorPattern::new("missing-library", "FatalError: gladLoadGL error", AlertMeaning::Explains).on("OpenGL"),
    thrown("missing-library", "FatalError: an OpenGL platform library has not been loaded").on("OpenGL"),
    ErrorPattern::new(
        "missing-library",
        "no Qt platform plugin could be initialized",
        AlertMeaning::Explains,
    )
    .on("Qt"),
    ErrorPattern::new("missing-library", "' not found (required by ", AlertMeaning::Explains)
        .part(AlertPart::On(library)),
    ErrorPattern::new("no-answer", "while waiting for the simulator, make sure", AlertMeaning::Explains)
        .on("CARLA"),
    // The machine is full or taken.
    ErrorPattern::new("disk-full", "No space left on device", AlertMeaning::Explains)
        .given(LineCondition::Without("inotify")),
    ErrorPattern::new("disk-full", "no space left on device", AlertMeaning::Explains),
    // Hugging Face goes on where its cache cannot be written.
    ErrorPattern::new("disk-full", "Disk quota exceeded", AlertMeaning::Explains)
        .given(LineCondition::Without("Ignored error while writing")),
    ErrorPattern::new("disk-full", "PytorchStreamWriter failed writing file", AlertMeaning::Explains),
    ErrorPattern::new("disk-full", ". unexpected pos ", AlertMeaning::Explains)
        .given(LineCondition::With("inline_container.cc")),
    ErrorPattern::new("disk-full", "There is not enough space on the disk", AlertMeaning::Explains),
    ErrorPattern::new("disk-full", "No usable temporary directory found", AlertMeaning::Explains),
    ErrorPattern::new("disk-full", "database or disk is full", AlertMeaning::Explains),
    address_in_use("ddress already in use").given(LineCondition::Without("rying ")),
    address_in_use("EADDRINUSE").given(LineCondition::Without("rying ")),
    address_in_use("RuntimeError: Failed to bind to address "),
    address_in_use("Only one usage of each socket address"),
    address_in_use("Ray is trying to start at "),
    ErrorPattern::new("address-in-use", "roscore cannot run as another roscore", AlertMeaning::Explains)
        .on("ROS"),
    // The program asked, and no user was there to answer.
    ErrorPattern::new("prompt", "EOFError: EOF when reading a line", AlertMeaning::Explains),
    ErrorPattern::new("prompt", "EULA was not accepted", AlertMeaning::Explains).on("EULA"),
    ErrorPattern::new("prompt", "EULA not accepted", AlertMeaning::Explains).on("EULA"),
    ErrorPattern::new("prompt", "api_key not configured (no-tty)", AlertMeaning::Explains).on("wandb"),
    ErrorPattern::new("prompt", "a terminal is required to read the password", AlertMeaning::Explains)
        .on("sudo"),
    ErrorPattern::new("prompt", "no askpass program specified", AlertMeaning::Explains).on("sudo"),
    ErrorPattern::new("prompt", "could not read Username for ", AlertMeaning::Explains).on("git"),
];

/// JAX looks for a TPU, TensorFlow for TensorRT and CUDA and PyOpenGL for GLU on every start, and all go on without.
const OPTIONAL_LIBRARIES: &[&str] =
    &["libtpu.so", "Could not load dynamic library '", "Failed to load library ( '"];

const fn missing_library(text: &'static str) -> ErrorPattern {
    ErrorPattern::new("missing-library", text, AlertMeaning::Explains).part(AlertPart::On(library))
}

const fn missing_module(text: &'static str) -> ErrorPattern {
    ErrorPattern::new("missing-library", text, AlertMeaning::Explains).part(AlertPart::On(python_module))
}

const fn no_egl(text: &'static str) -> ErrorPattern {
    ErrorPattern::new("missing-library", text, AlertMeaning::Explains).on("EGL")
}

const fn address_in_use(text: &'static str) -> ErrorPattern {
    ErrorPattern::new("address-in-use", text, AlertMeaning::Explains).part(AlertPart::On(port))
}

const fn thrown(kind: &'static str, text: &'static str) -> ErrorPattern {
    ErrorPattern::new(kind, text, AlertMeaning::Explains).given(LineCondition::Thrown)
}

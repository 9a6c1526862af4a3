//! Renderers that draw on the processor, as logs name them: Mesa's, and the one that MuJoCo can be set to use.

use crate::progress::text::find::find;

/// Texts of a log, each with the renderer that it names. All are long enough for the fast search. A library that only
/// fails to load one prints it too, so that a name alone proves nothing.
const NAMED: [(&str, &str); 11] = [
    ("llvmpipe", "llvmpipe"),
    ("softpipe", "softpipe"),
    ("swrast_dri", "swrast"),
    ("driver: swrast", "swrast"),
    ("open swrast", "swrast"),
    ("Software Rasterizer", "Software Rasterizer"),
    ("_GL=osmesa", "osmesa"),
    ("_GL: osmesa", "osmesa"),
    ("PLATFORM=osmesa", "osmesa"),
    ("backend: osmesa", "osmesa"),
    ("libOSMesa", "osmesa"),
];

/// Texts to search for, in the order of `NAMED`.
pub const NEEDLES: [&str; NAMED.len()] = {
    let mut needles = [""; NAMED.len()];
    let mut position = 0;
    while position < NAMED.len() {
        needles[position] = NAMED[position].0;
        position += 1;
    }
    needles
};

/// The renderer that the line names.
pub fn named_on(line: &[u8]) -> Option<&'static str> {
    NAMED.into_iter().find(|(text, _)| find(line, text.as_bytes()).is_some()).map(|(_, name)| name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn renderers_are_told_from_what_only_sounds_like_them() {
        let named = |line: &str| named_on(line.as_bytes());
        assert_eq!(named("OpenGL renderer: llvmpipe (LLVM 15.0.7, 256 bits)"), Some("llvmpipe"));
        assert_eq!(named("libGL error: failed to load driver: swrast"), Some("swrast"));
        assert_eq!(named("MUJOCO_GL=osmesa"), Some("osmesa"));
        assert_eq!(named("OpenGL renderer: NVIDIA H100/PCIe/SSE2"), None);
        assert_eq!(named("uses osmesa where nothing else is there"), None);
    }
}

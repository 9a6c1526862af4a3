//! What a program is at before its first progress, told from its start-up lines.

/// A line that holds the text, and what it says. The order does not matter: the newest line counts.
pub const STAGES: &[(&str, &str)] = &[
    ("Loading experience file", "starting the simulator"),
    ("Simulation App Starting", "starting the simulator"),
    ("app ready", "simulator ready"),
    ("[INFO]: Parsing configuration", "reading the configuration"),
    ("[INFO]: Time taken for scene creation", "scene created"),
    // The classic place to hang: textures are fetched, caches are locked, kernels compiled.
    ("[INFO]: Starting the simulation. This may take", "starting the simulation"),
    ("[INFO]: Time taken for simulation start", "simulation started"),
    ("load on device 'cuda:", "loading kernels"),
    ("Loading checkpoint shards", "loading the checkpoint"),
];

/// The stage that the line announces.
pub fn stage_of(line: &[u8]) -> Option<&'static str> {
    STAGES
        .iter()
        .find(|(text, _)| memchr::memmem::find(line, text.as_bytes()).is_some())
        .map(|(_, stage)| *stage)
}

//! A training with robomimic: the losses of each epoch, and rollouts after each.

/// One epoch.
pub fn piece(log: &mut String, number: u64) {
    log.push_str(&format!(
        "Train Epoch {number}\n{{\n    \"Cosine_Loss\": 0.31,\n    \"Loss\": 0.0{number},\n    \"Time_Epoch\": 0.14\n}}\n\
         \nEpoch {number} Rollouts took 8.09s (avg) with results:\nEnv: NutAssemblySquare\n{{\n    \"Horizon\": 468.34,\n    \
         \"Return\": 0.16,\n    \"Success_Rate\": 0.16,\n    \"Time_Episode\": 6.74,\n    \"time\": 8.09\n}}\n\
         \nEpoch {number} Memory Usage: 2345 MB\n\n"
    ));
}

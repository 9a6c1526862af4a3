//! An evaluation with SimplerEnv: a line for each step of episodes of 80 steps.

/// One step.
pub fn piece(log: &mut String, number: u64) {
    let step = number % 80;
    if step == 0 {
        log.push_str("put carrot on plate\r\n");
    }
    log.push_str(&format!(
        "{step} {{'elapsed_steps': {}, 'moved_correct_obj': False, 'is_src_obj_grasped': {}, 'src_on_target': False, \
         'episode_stats': OrderedDict([('moved_correct_obj', False), ('src_on_target', False)]), 'success': {}}}\r\n",
        step + 1,
        if step > 40 { "True" } else { "False" },
        if step == 79 && number % 160 < 80 { "True" } else { "False" },
    ));
}

//! What every control problem of the demo can do.

use super::random::Random;

/// A control problem in the middle of an episode.
pub trait ControlProblem: Sized {
    /// Control steps after which an episode is over.
    const HORIZON: u32;
    /// Simulated time of one control step, in seconds.
    const STEP: f64;

    /// The first state of an episode, drawn at random.
    fn begin(world: &mut Random) -> Self;

    /// Returns the action of the tuned feedback controller now, from -1 to 1 of the strongest action.
    fn tuned_action(&self) -> f64;

    /// Applies an action for one control step; chance acts as wind and pushes do.
    fn step(&mut self, action: f64, world: &mut Random) -> StepResult;

    /// Whether an episode that reaches the horizon is a success.
    fn succeeds_at_horizon(&self) -> bool;
}

/// Result of one control step.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct StepResult {
    /// Reward of the control step.
    pub reward: f64,
    /// How the episode ended, if it did.
    pub end: Option<EarlyEnd>,
}

/// How an episode ends before the horizon.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EarlyEnd {
    /// The goal was reached.
    Reached,
    /// The goal can no longer be reached.
    Failed,
}

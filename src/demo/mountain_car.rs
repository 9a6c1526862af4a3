//! A car in a valley whose engine is too weak for the slope (Moore 1990), on days of more or less headwind.

use super::integrate::runge_kutta;
use super::problem::{ControlProblem, EarlyEnd, StepResult};
use super::random::Random;

/// Acceleration at full throttle and of gravity on the slope, per squared time step of the original problem.
const ENGINE: f64 = 0.001;
const SLOPE: f64 = 0.0025;
const LEFT_WALL: f64 = -1.2;
const GOAL: f64 = 0.5;
/// The weakest and the strongest engine of an episode, as parts of the full one.
const THROTTLE: [f64; 2] = [0.45, 1.1];

/// A car on a hill of the form sin 3x.
#[derive(Debug, Clone, PartialEq)]
pub struct MountainCar {
    /// Position and speed of the car.
    state: [f64; 2],
    /// How much of its engine the wind leaves it.
    throttle: f64,
}

impl ControlProblem for MountainCar {
    const HORIZON: u32 = 200;
    /// The original problem counts time in steps.
    const STEP: f64 = 1.0;

    fn begin(world: &mut Random) -> Self {
        let [weakest, strongest] = THROTTLE;
        Self { state: [world.between(-0.6, -0.4), 0.0], throttle: world.between(weakest, strongest) }
    }

    fn tuned_action(&self) -> f64 {
        // Along the motion every push adds energy: the car swings higher each time.
        if self.state[1] < 0.0 { -1.0 } else { 1.0 }
    }

    fn step(&mut self, action: f64, _world: &mut Random) -> StepResult {
        let engine = ENGINE * self.throttle * action;
        self.state = runge_kutta(self.state, Self::STEP, 10, |state| compute_rates(state, engine));
        if self.state[0] <= LEFT_WALL {
            self.state = [LEFT_WALL, self.state[1].max(0.0)];
        }
        StepResult { reward: -1.0, end: (self.state[0] >= GOAL).then_some(EarlyEnd::Reached) }
    }

    fn succeeds_at_horizon(&self) -> bool {
        false
    }
}

fn compute_rates([position, speed]: &[f64; 2], engine: f64) -> [f64; 2] {
    [*speed, engine - SLOPE * (3.0 * position).cos()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn energy_is_conserved_with_the_engine_off() {
        let energy = |[position, speed]: [f64; 2]| speed * speed / 2.0 + SLOPE / 3.0 * (3.0 * position).sin();
        let begin = [-0.9, 0.01];
        let end = runge_kutta(begin, 300.0, 3000, |state| compute_rates(state, 0.0));
        assert!((energy(end) - energy(begin)).abs() < 1e-10, "{} {}", energy(begin), energy(end));
    }

    #[test]
    fn full_throttle_alone_does_not_climb_the_hill() {
        let mut car = MountainCar { state: [-0.5, 0.0], throttle: 1.0 };
        let mut world = Random::new(0, 0);
        let ends = (0..MountainCar::HORIZON).filter_map(|_| car.step(1.0, &mut world).end).count();
        assert_eq!(ends, 0);
    }
}

//! Two links with a motor at the elbow only (Sutton 1996) that must swing the tip above the bar.

use std::f64::consts::PI;

use super::integrate::runge_kutta;
use super::problem::{ControlProblem, EarlyEnd, StepResult};
use super::random::Random;

const GRAVITY: f64 = 9.8;
/// Both links alike: length, mass, centre of mass from the joint, inertia about that centre.
const LENGTH: f64 = 1.0;
const MASS: f64 = 1.0;
const CENTRE: f64 = 0.5;
const INERTIA: f64 = 1.0;
const MOST_TORQUE: f64 = 1.0;
/// The bearings of an episode take up to this torque per angular speed; the worst leave the motor no chance.
const MOST_FRICTION: f64 = 0.15;

/// Two links that hang from a bar.
#[derive(Debug, Clone, PartialEq)]
pub struct Acrobot {
    /// Angle of the first link (0 hangs down), of the second against the first, and their speeds.
    state: [f64; 4],
    friction: f64,
}

impl ControlProblem for Acrobot {
    const HORIZON: u32 = 300;
    const STEP: f64 = 0.2;

    fn begin(world: &mut Random) -> Self {
        Self {
            state: std::array::from_fn(|_| world.between(-0.1, 0.1)),
            friction: world.between(0.0, MOST_FRICTION),
        }
    }

    fn tuned_action(&self) -> f64 {
        // The motor works on the elbow alone: pushing along its motion always adds energy.
        if self.state[3] < 0.0 { -1.0 } else { 1.0 }
    }

    fn step(&mut self, action: f64, _world: &mut Random) -> StepResult {
        let torque = MOST_TORQUE * action;
        self.state =
            runge_kutta(self.state, Self::STEP, 10, |state| compute_rates(state, torque, self.friction));
        let tip = -self.state[0].cos() - (self.state[0] + self.state[1]).cos();
        StepResult { reward: -1.0, end: (tip > LENGTH).then_some(EarlyEnd::Reached) }
    }

    fn succeeds_at_horizon(&self) -> bool {
        false
    }
}

fn compute_rates(
    [first, second, first_turn, second_turn]: &[f64; 4],
    torque: f64,
    friction: f64,
) -> [f64; 4] {
    let (sine, cosine) = second.sin_cos();
    let coupling = MASS * LENGTH * CENTRE;
    let own = MASS * CENTRE * CENTRE + INERTIA;
    let whole = 2.0 * own + MASS * LENGTH * LENGTH + 2.0 * coupling * cosine;
    let shared = own + coupling * cosine;
    let weight_second = MASS * CENTRE * GRAVITY * (first + second - PI / 2.0).cos();
    let weight_first = MASS * (CENTRE + LENGTH) * GRAVITY * (first - PI / 2.0).cos() + weight_second;
    let swing = -coupling * second_turn * (second_turn + 2.0 * first_turn) * sine;
    let load_first = -friction * first_turn - swing - weight_first;
    let load_second =
        torque - friction * second_turn - coupling * first_turn * first_turn * sine - weight_second;
    let second_rate = (load_second - shared / whole * load_first) / (own - shared * shared / whole);
    let first_rate = (load_first - shared * second_rate) / whole;
    [*first_turn, *second_turn, first_rate, second_rate]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn energy([first, second, first_turn, second_turn]: [f64; 4]) -> f64 {
        let both = first + second;
        let both_turn = first_turn + second_turn;
        let speed = [
            LENGTH * first_turn * first.cos() + CENTRE * both_turn * both.cos(),
            LENGTH * first_turn * first.sin() + CENTRE * both_turn * both.sin(),
        ];
        let kinetic = (MASS * CENTRE * CENTRE + INERTIA) * first_turn * first_turn / 2.0
            + MASS * (speed[0] * speed[0] + speed[1] * speed[1]) / 2.0
            + INERTIA * both_turn * both_turn / 2.0;
        let height = -CENTRE * first.cos() - LENGTH * first.cos() - CENTRE * both.cos();
        kinetic + MASS * GRAVITY * height
    }

    #[test]
    fn energy_is_conserved_without_torque_and_friction_and_lost_with_friction() {
        let begin = [1.2, -0.7, 0.5, 1.0];
        let end = |friction| runge_kutta(begin, 10.0, 10_000, |state| compute_rates(state, 0.0, friction));
        let drift = energy(end(0.0)) - energy(begin);
        assert!(drift.abs() < 1e-8, "{drift}");
        assert!(energy(end(0.1)) < energy(begin) - 0.1);
    }

    #[test]
    fn hanging_still_is_a_rest() {
        assert!(compute_rates(&[0.0; 4], 0.0, 0.1).iter().all(|rate| rate.abs() < 1e-12));
    }
}

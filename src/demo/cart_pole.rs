//! A pole balanced on a cart (Barto, Sutton and Anderson 1983) that is hit now and then.

use super::integrate::runge_kutta;
use super::problem::{ControlProblem, EarlyEnd, StepResult};
use super::random::Random;

const GRAVITY: f64 = 9.8;
const CART_MASS: f64 = 1.0;
const POLE_MASS: f64 = 0.1;
/// Half of the pole's length: to its centre of mass.
const HALF_LENGTH: f64 = 0.5;
const MOST_FORCE: f64 = 10.0;
/// The track ends here, in metres from its middle.
const TRACK_END: f64 = 2.4;
/// Twelve degrees from upright count as fallen.
const FALLEN: f64 = 12.0 * std::f64::consts::PI / 180.0;
/// About one hit a second; its strength is set so that a good controller sometimes loses.
const HIT_CHANCE: f64 = 0.02;
const HIT_SPEED: f64 = 0.7;

/// Position and speed of the cart, angle (0 is upright) and angular speed of the pole.
#[derive(Debug, Clone, PartialEq)]
pub struct CartPole([f64; 4]);

impl ControlProblem for CartPole {
    const HORIZON: u32 = 500;
    const STEP: f64 = 0.02;

    fn begin(world: &mut Random) -> Self {
        Self(std::array::from_fn(|_| world.between(-0.05, 0.05)))
    }

    fn tuned_action(&self) -> f64 {
        let [position, speed, angle, turn] = self.0;
        // Gains near those of a linear-quadratic regulator for this cart, in newtons.
        let force = 1.0 * position + 1.7 * speed + 24.0 * angle + 4.5 * turn;
        (force / MOST_FORCE).clamp(-1.0, 1.0)
    }

    fn step(&mut self, action: f64, world: &mut Random) -> StepResult {
        if world.chance(HIT_CHANCE) {
            self.0[3] += world.between(-HIT_SPEED, HIT_SPEED);
        }
        let force = MOST_FORCE * action;
        self.0 = runge_kutta(self.0, Self::STEP, 4, |state| compute_rates(state, force));
        let lost = self.0[0].abs() > TRACK_END || self.0[2].abs() > FALLEN;
        StepResult { reward: 1.0, end: lost.then_some(EarlyEnd::Failed) }
    }

    fn succeeds_at_horizon(&self) -> bool {
        true
    }
}

fn compute_rates([_, speed, angle, turn]: &[f64; 4], force: f64) -> [f64; 4] {
    let (sine, cosine) = angle.sin_cos();
    let total = CART_MASS + POLE_MASS;
    let push = (force + POLE_MASS * HALF_LENGTH * turn * turn * sine) / total;
    let inertia = HALF_LENGTH * (4.0 / 3.0 - POLE_MASS * cosine * cosine / total);
    let turn_rate = (GRAVITY * sine - cosine * push) / inertia;
    let speed_rate = push - POLE_MASS * HALF_LENGTH * turn_rate * cosine / total;
    [*speed, speed_rate, *turn, turn_rate]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pole_left_alone_falls_to_the_side_it_leans_to() {
        let [_, _, angle, turn] =
            runge_kutta([0.0, 0.0, 0.01, 0.0], 0.5, 100, |state| compute_rates(state, 0.0));
        assert!(angle > 0.01 && turn > 0.0);
    }

    #[test]
    fn energy_is_conserved_without_a_force() {
        let energy = |[_, speed, angle, turn]: [f64; 4]| {
            let along = HALF_LENGTH * turn * angle.cos() + speed;
            let down = HALF_LENGTH * turn * angle.sin();
            let swing = POLE_MASS * (along * along + down * down) / 2.0;
            // A rod of half length l turns about its middle with m l² / 3.
            let spin = POLE_MASS * HALF_LENGTH * HALF_LENGTH / 3.0 * turn * turn / 2.0;
            CART_MASS * speed * speed / 2.0 + swing + spin + POLE_MASS * GRAVITY * HALF_LENGTH * angle.cos()
        };
        let begin = [0.0, 0.3, 0.4, -0.2];
        let end = runge_kutta(begin, 5.0, 5000, |state| compute_rates(state, 0.0));
        assert!((energy(end) - energy(begin)).abs() < 1e-9, "{} {}", energy(begin), energy(end));
    }
}

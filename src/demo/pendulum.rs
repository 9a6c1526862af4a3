//! A pendulum with a weak motor that must be swung up and held upright in gusts of wind.

use std::f64::consts::{PI, TAU};

use super::integrate::runge_kutta;
use super::problem::{ControlProblem, EarlyEnd, StepResult};
use super::random::Random;

const GRAVITY: f64 = 10.0;
const MASS: f64 = 1.0;
const LENGTH: f64 = 1.0;
/// Too little to lift the pendulum in one go: it must be swung.
const MOST_TORQUE: f64 = 2.0;
/// As near as this to upright counts as held, in radians.
const UPRIGHT: f64 = 0.25;
/// Steps for which it must be held: two seconds.
const HELD_STEPS: u32 = 40;
/// About one gust a second; strong enough to topple a pendulum now and then.
const GUST_CHANCE: f64 = 0.05;
const GUST_SPEED: f64 = 1.5;

/// A uniform rod on a motor.
#[derive(Debug, Clone, PartialEq)]
pub struct Pendulum {
    /// Angle (0 is upright) and angular speed.
    state: [f64; 2],
    /// Steps for which it has been upright.
    held: u32,
}

impl ControlProblem for Pendulum {
    const HORIZON: u32 = 120;
    const STEP: f64 = 0.05;

    fn begin(world: &mut Random) -> Self {
        Self { state: [world.between(-PI, PI), world.between(-1.0, 1.0)], held: 0 }
    }

    fn tuned_action(&self) -> f64 {
        let [angle, turn] = [wrap_angle(self.state[0]), self.state[1]];
        let torque = if angle.abs() < 0.4 && turn.abs() < 2.5 {
            -(9.0 * angle + 2.2 * turn)
        } else {
            // Work adds energy in the direction of motion, until there is as much as standing upright takes.
            let missing = total_energy([0.0, 0.0]) - total_energy(self.state);
            MOST_TORQUE * missing.signum() * if turn < 0.0 { -1.0 } else { 1.0 }
        };
        (torque / MOST_TORQUE).clamp(-1.0, 1.0)
    }

    fn step(&mut self, action: f64, world: &mut Random) -> StepResult {
        if world.chance(GUST_CHANCE) {
            self.state[1] += world.between(-GUST_SPEED, GUST_SPEED);
        }
        let [angle, turn] = [wrap_angle(self.state[0]), self.state[1]];
        let torque = MOST_TORQUE * action;
        let cost = angle * angle + 0.1 * turn * turn + 0.001 * torque * torque;
        self.state = runge_kutta(self.state, Self::STEP, 10, |state| compute_rates(state, torque));
        self.held = if wrap_angle(self.state[0]).abs() < UPRIGHT { self.held + 1 } else { 0 };
        StepResult { reward: -cost, end: (self.held >= HELD_STEPS).then_some(EarlyEnd::Reached) }
    }

    fn succeeds_at_horizon(&self) -> bool {
        false
    }
}

/// The same angle between -π and π.
fn wrap_angle(angle: f64) -> f64 {
    (angle + PI).rem_euclid(TAU) - PI
}

fn inertia() -> f64 {
    MASS * LENGTH * LENGTH / 3.0
}

fn total_energy([angle, turn]: [f64; 2]) -> f64 {
    inertia() * turn * turn / 2.0 + MASS * GRAVITY * LENGTH / 2.0 * angle.cos()
}

fn compute_rates([angle, turn]: &[f64; 2], torque: f64) -> [f64; 2] {
    [*turn, (MASS * GRAVITY * LENGTH / 2.0 * angle.sin() + torque) / inertia()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn energy_is_conserved_without_a_torque() {
        let begin = [2.5, 1.0];
        let end = runge_kutta(begin, 20.0, 4000, |state| compute_rates(state, 0.0));
        assert!(
            (total_energy(end) - total_energy(begin)).abs() < 1e-6,
            "{} {}",
            total_energy(begin),
            total_energy(end)
        );
    }

    #[test]
    fn small_swings_have_the_period_of_a_physical_pendulum() {
        // T = 2π √(I / (m g l/2)) for a rod that hangs from its end.
        let period = TAU * (inertia() / (MASS * GRAVITY * LENGTH / 2.0)).sqrt();
        let [angle, turn] = runge_kutta([PI - 0.01, 0.0], period, 2000, |state| compute_rates(state, 0.0));
        assert!((angle - (PI - 0.01)).abs() < 1e-5 && turn.abs() < 1e-4, "{angle} {turn}");
    }

    #[test]
    fn angles_wrap_at_half_a_turn() {
        assert!((wrap_angle(PI + 0.1) - (0.1 - PI)).abs() < 1e-12);
        assert!((wrap_angle(-7.0 * PI + 0.2) - (0.2 - PI)).abs() < 1e-12);
    }
}

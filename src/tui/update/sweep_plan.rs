//! Keys on the plan of a sweep: what is run of it, and how.

use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

use super::home_request::HomeRequest;
use crate::tui::keymap::home::PlanAction;
use crate::tui::model::overlays::overlay::Notice;
use crate::tui::model::overlays::sweep_plan::{PlanList, SweepPlan, SweepRequest};

/// Moves in the list that has the keys.
pub(super) fn move_cursor(plan: &mut SweepPlan, lines: isize) {
    let values = plan.value_lines().len();
    let (cursor, count) = match plan.list {
        PlanList::Combos => (&mut plan.cursor, plan.combos.len()),
        PlanList::Axes => (&mut plan.value, values),
    };
    *cursor = cursor.saturating_add_signed(lines).min(count.saturating_sub(1));
}

/// A key that changes the plan or starts it.
pub(super) fn apply_action(
    plan: &mut SweepPlan,
    action: PlanAction,
    notice: &mut Option<Notice>,
) -> Option<HomeRequest> {
    let before = plan.wish.clone();
    match action {
        PlanAction::OtherList => {
            plan.list = match plan.list {
                PlanList::Combos if !plan.axes.is_empty() => PlanList::Axes,
                PlanList::Combos | PlanList::Axes => PlanList::Combos,
            };
        }
        PlanAction::Tick => match plan.list {
            PlanList::Combos => plan.tick_combo(),
            PlanList::Axes => plan.tick_value(),
        },
        PlanAction::TickAll => plan.tick_all(),
        PlanAction::AddValue => begin_typing(plan, false, notice),
        PlanAction::EditValue => begin_typing(plan, true, notice),
        PlanAction::MoreParallel => plan.change_parallel(1),
        PlanAction::FewerParallel => plan.change_parallel(-1),
        PlanAction::Start => match plan.prepare_start() {
            Ok(start) => return Some(HomeRequest::Start(Box::new(start))),
            Err(why) => *notice = Some(Notice::bad(why)),
        },
    }
    request_plan(plan, &before).map(HomeRequest::Plan)
}

fn begin_typing(plan: &mut SweepPlan, instead: bool, notice: &mut Option<Notice>) {
    if plan.axes.is_empty() {
        *notice = Some(Notice::bad("this sweep has no axes in [matrix]"));
        return;
    }
    plan.list = PlanList::Axes;
    plan.begin_value(instead);
}

/// A key while a value is typed; gives the wish that comes of it.
pub(super) fn type_value(
    plan: &mut SweepPlan,
    event: KeyEvent,
    notice: &mut Option<Notice>,
) -> Option<SweepRequest> {
    let before = plan.wish.clone();
    match event.code {
        KeyCode::Enter => {
            if let Err(error) = plan.end_value() {
                *notice = Some(Notice::bad(error.to_string()));
            }
        }
        KeyCode::Esc => plan.typing = None,
        _ => {
            if let Some(typing) = &mut plan.typing {
                type_into(&mut typing.text, event);
            }
        }
    }
    request_plan(plan, &before)
}

/// The plan of a wish that has changed.
fn request_plan(plan: &mut SweepPlan, before: &SweepRequest) -> Option<SweepRequest> {
    if plan.wish == *before {
        return None;
    }
    plan.asked = true;
    Some(plan.wish.clone())
}

/// A key that writes or erases; whether it did.
pub(super) fn type_into(text: &mut String, event: KeyEvent) -> bool {
    match event.code {
        KeyCode::Backspace => text.pop().is_some(),
        KeyCode::Char('u') if event.modifiers.contains(KeyModifiers::CONTROL) => {
            text.clear();
            true
        }
        KeyCode::Char(c) if !event.modifiers.intersects(KeyModifiers::CONTROL | KeyModifiers::ALT) => {
            text.push(c);
            true
        }
        _ => false,
    }
}

//! Keys in a form: a shard's values for its next attempt, further values of an axis, or how much VRAM is left free.

use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

use super::acting::{collect_targets, refuse_shards, show_refusal};
use super::{addition, log};
use crate::config::edit::{self, ShardEditError};
use crate::model::command::Command;
use crate::model::ids::ShardId;
use crate::model::state::phase::PhaseKind;
use crate::model::sweep::edit::Edit;
use crate::model::sweep::plan::ShardSpec;
use crate::model::units::Bytes;
use crate::model::value::Value;
use crate::tui::layout::{ScreenShape, layout_areas};
use crate::tui::message::Request;
use crate::tui::model::overlays::form::{FieldKind, Form, FormField, FormPreview, Purpose};
use crate::tui::model::overlays::overlay::{Confirmation, Overlay, Question};
use crate::tui::model::screen::Model;

/// Opens the values of the selected shard, as its last attempt had them.
pub fn open_edit(model: &mut Model) {
    let chosen = collect_targets(model, PhaseKind::is_final);
    let [position] = chosen[..] else {
        let why = "values are edited of one shard that is over: select one, and mark no others";
        return refuse_shards(model, why);
    };
    let Some(spec) = model.spec(position) else { return };
    let edited = &spec.edit;
    let variable = |(name, value): (&str, &Value)| {
        let now = edited.variables.iter().find(|edit| edit.name == name);
        let text = now.map_or_else(|| value.to_string(), |edit| edit.new.to_string());
        FormField::new(FieldKind::Variable(name.to_owned()), text, Some(value.to_string()))
    };
    let mut fields: Vec<FormField> = spec.vars.iter().map(variable).collect();
    for (name, value) in &model.plan.template.env {
        let now = edited.environment.iter().find(|edit| edit.name == *name);
        let text = now.map_or_else(|| value.clone(), |edit| edit.new.clone());
        fields.push(FormField::new(FieldKind::Environment(name.clone()), text, Some(value.clone())));
    }
    for edit in edited.environment.iter().filter(|edit| edit.old.is_none()) {
        fields.push(FormField::new(FieldKind::Environment(edit.name.clone()), edit.new.clone(), None));
    }
    fields.push(FormField::new(FieldKind::More, String::new(), None));
    let shard = spec.id.clone();
    open_form(model, Purpose::Edit { shard }, fields);
}

/// Opens a line for each axis, for further values.
pub fn open_addition(model: &mut Model) {
    let fields = addition::axis_fields(&model.plan);
    if fields.is_empty() {
        let why = match model.plan.expansion {
            Some(_) => "the sweep has no axis that could get values",
            None => "this run was started by an earlier version, and takes no further values",
        };
        return show_refusal(model, why);
    }
    open_form(model, Purpose::Add, fields);
}

/// Opens how much VRAM is left free.
pub fn open_reserve(model: &mut Model) {
    if model.all_cards().next().is_none() {
        return show_refusal(model, "there is no GPU on which VRAM could be kept free");
    }
    let given = model.plan.schedule.reserve_vram;
    let now = model.state.reserve_vram.unwrap_or(given);
    let field = FormField::new(
        FieldKind::Setting("left free on every GPU"),
        now.to_string(),
        Some(given.to_string()),
    );
    open_form(model, Purpose::Reserve, vec![field]);
}

/// Asks where what is held of the log is to be written: nothing is left in a folder unasked.
pub fn save_log(model: &mut Model) {
    let Some(key) = model.log.key.as_ref().filter(|_| model.log.line_count() > 0) else {
        return show_refusal(model, "there is no log to save");
    };
    let path = format!("./{}-attempt-{}.log", key.shard, key.attempt);
    let field = FormField::new(FieldKind::Setting("file"), path.clone(), Some(path));
    open_form(model, Purpose::Save, vec![field]);
}

fn open_form(model: &mut Model, purpose: Purpose, fields: Vec<FormField>) {
    model.overlay = Overlay::Form(Form { purpose, fields, at: 0, outlook: FormPreview::default() });
    update_outlook(model);
}

/// Handles a key pressed while a form is open.
pub fn handle_key(model: &mut Model, event: KeyEvent) -> Vec<Request> {
    // What is typed must be seen.
    if layout_areas(model).shape == ScreenShape::Line {
        model.overlay = Overlay::None;
        return Vec::new();
    }
    let Overlay::Form(form) = &mut model.overlay else { return Vec::new() };
    let control = event.modifiers.contains(KeyModifiers::CONTROL);
    let last = form.fields.len() - 1;
    let field = &mut form.fields[form.at];
    match event.code {
        KeyCode::Esc => {
            model.overlay = Overlay::None;
            return Vec::new();
        }
        KeyCode::Enter => return submit_form(model),
        KeyCode::Up | KeyCode::BackTab => form.at = form.at.saturating_sub(1),
        KeyCode::Down | KeyCode::Tab => form.at = (form.at + 1).min(last),
        KeyCode::Left => field.move_cursor(-1),
        KeyCode::Right => field.move_cursor(1),
        KeyCode::Home => field.move_cursor(isize::MIN),
        KeyCode::End => field.move_cursor(isize::MAX),
        KeyCode::Backspace => field.backspace(),
        KeyCode::Delete => field.delete(),
        KeyCode::Char('u') if control => field.clear(),
        KeyCode::Char(c) if !event.modifiers.intersects(KeyModifiers::CONTROL | KeyModifiers::ALT) => {
            field.insert(&c.to_string());
        }
        _ => {}
    }
    update_outlook(model);
    Vec::new()
}

/// Describes the result of the form as it is filled in.
pub fn update_outlook(model: &mut Model) {
    let Overlay::Form(form) = &model.overlay else { return };
    let outlook = match &form.purpose {
        Purpose::Reserve => match parse_size(form) {
            Ok(_) => FormPreview::default(),
            Err(error) => FormPreview { error: Some(error), ..FormPreview::default() },
        },
        Purpose::Save if form.fields[0].text.trim().is_empty() => {
            FormPreview { error: Some("it needs a name".to_owned()), ..FormPreview::default() }
        }
        Purpose::Save => FormPreview::default(),
        Purpose::Add => addition::preview_addition(&model.plan, form),
        Purpose::Edit { shard } => match parse_edit(model, form, shard) {
            Some((_, Err(error))) => FormPreview { error: Some(error.to_string()), ..FormPreview::default() },
            Some((spec, Ok(edit))) => FormPreview {
                changes: edit.to_lines(),
                command: Some(edit::preview_command(&model.plan, spec, &edit)),
                ..FormPreview::default()
            },
            None => FormPreview::default(),
        },
    };
    if let Overlay::Form(form) = &mut model.overlay {
        form.outlook = outlook;
    }
}

fn submit_form(model: &mut Model) -> Vec<Request> {
    let Overlay::Form(form) = &model.overlay else { return Vec::new() };
    match &form.purpose {
        Purpose::Reserve => {
            let Ok(vram) = parse_size(form) else { return Vec::new() };
            model.overlay = Overlay::None;
            vec![Request::Send(Command::SetReserve { vram })]
        }
        Purpose::Save => {
            let path = form.fields[0].text.trim().to_owned();
            if path.is_empty() {
                return Vec::new();
            }
            model.overlay = Overlay::None;
            log::save_lines(model, path)
        }
        Purpose::Add => {
            let Some(command) = addition::build_command(&model.plan, form) else { return Vec::new() };
            model.overlay = Overlay::None;
            vec![Request::Send(command)]
        }
        Purpose::Edit { shard } => {
            let Some((spec, wanted)) = parse_edit(model, form, shard) else { return Vec::new() };
            let checked =
                wanted.and_then(|edit| edit::validate_edit(&model.plan, spec, &edit).map(|()| edit));
            match checked {
                Ok(edit) => {
                    let question = edit_question(model, spec, edit);
                    model.overlay = Overlay::Confirm(question);
                }
                Err(error) => {
                    let error = Some(error.to_string());
                    if let Overlay::Form(form) = &mut model.overlay {
                        form.outlook.error = error;
                    }
                }
            }
            Vec::new()
        }
    }
}

fn edit_question(model: &Model, spec: &ShardSpec, edit: Edit) -> Question {
    let mut losses = edit.to_lines();
    losses.push(format!("runs: {}", edit::preview_command(&model.plan, spec, &edit).trim_end()));
    losses.push("its name and its place in the matrix stay; its results are marked as edited".to_owned());
    losses.push("earlier attempts are kept, with their logs and results".to_owned());
    let title = format!("Requeue {} with these values?", spec.id);
    let command = Command::RequeueEdited { shard: spec.id.clone(), edit };
    Question { title, losses, command, answer: Confirmation::Yes }
}

/// The shard, and the edit that the form asks for.
fn parse_edit<'m>(
    model: &'m Model,
    form: &Form,
    shard: &ShardId,
) -> Option<(&'m ShardSpec, Result<Edit, ShardEditError>)> {
    let spec = model.spec(model.state.position(shard)?)?;
    let (mut variables, mut environment) = (Vec::new(), Vec::new());
    for field in form.fields.iter().filter(|field| field.is_changed()) {
        match &field.kind {
            FieldKind::Variable(name) => variables.push((name.clone(), field.text.clone())),
            FieldKind::Environment(name) => environment.push((name.clone(), field.text.clone())),
            FieldKind::More => {
                let (name, value) = field.text.split_once('=').unwrap_or((&field.text, ""));
                environment.push((name.trim().to_owned(), value.to_owned()));
            }
            FieldKind::Setting(_) | FieldKind::Axis(_) => {}
        }
    }
    Some((spec, edit::build_edit(&model.plan, spec, &variables, &environment)))
}

fn parse_size(form: &Form) -> Result<Bytes, String> {
    form.fields[0].text.parse::<Bytes>().map_err(|error| error.to_string())
}

//! Tables of pages whose cells are all alike, and the note on rows that are left out.

use super::escape::escape_markup;

/// Renders a table whose heads and cells are text.
pub fn render_text_table<H: AsRef<str>, R: AsRef<[String]>>(
    heads: &[H],
    rows: impl IntoIterator<Item = R>,
) -> String {
    render_table(" class=\"text\"", heads, rows)
}

/// Renders a table whose heads and cells are aligned as numbers are.
pub fn render_number_table<H: AsRef<str>, R: AsRef<[String]>>(
    heads: &[H],
    rows: impl IntoIterator<Item = R>,
) -> String {
    render_table("", heads, rows)
}

fn render_table<H: AsRef<str>, R: AsRef<[String]>>(
    class: &str,
    heads: &[H],
    rows: impl IntoIterator<Item = R>,
) -> String {
    let head = |head: &H| format!("<th{class} scope=\"col\">{}</th>", escape_markup(head.as_ref()));
    let cell = |cell: &String| format!("<td{class}>{}</td>", escape_markup(cell));
    let row = |row: R| format!("<tr>{}</tr>\n", row.as_ref().iter().map(cell).collect::<String>());
    format!(
        "<div class=\"wide\" tabindex=\"0\"><table><thead><tr>{}</tr></thead><tbody>\n{}</tbody></table></div>\n",
        heads.iter().map(head).collect::<String>(),
        rows.into_iter().map(row).collect::<String>()
    )
}

/// Returns the line that says how many more rows there are, where the page shows only `most` of them.
pub fn note_more(count: usize, most: usize) -> String {
    match count.checked_sub(most) {
        None | Some(0) => String::new(),
        Some(more) => format!("<p>{more} more are in <a href=\"summary.json\">summary.json</a>.</p>\n"),
    }
}

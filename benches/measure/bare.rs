//! The floor: a program of ratatui and nothing else, which draws the same table of a million rows beside the same pane.

use crossterm::event::{Event, KeyCode, KeyEventKind, read};
use crossterm::execute;
use crossterm::terminal::{
    BeginSynchronizedUpdate, EndSynchronizedUpdate, EnterAlternateScreen, enable_raw_mode,
};
use ratatui::layout::{Constraint, Layout};
use ratatui::style::{Color, Style};
use ratatui::text::Line;
use ratatui::widgets::{Block, Borders, Paragraph, Row, Table};
use ratatui::{Frame, Terminal, backend::CrosstermBackend};
use std::io::{BufWriter, Write, stdout};

const ALL: usize = 1_000_000;
const HEADER: [&str; 6] = ["State", "Holder", "E-mail", "Badge", "Issued at", "Mail"];

fn cells(row: usize) -> [String; 6] {
    [
        "● Issued".to_owned(),
        format!("김하나{}", row % 97),
        format!("hana{row}@naru.example"),
        "파이썬 데이터 분석 수료".to_owned(),
        format!("2026-11-{:02} 09:41", row % 28 + 1),
        "sent".to_owned(),
    ]
}

fn draw(frame: &mut Frame<'_>, first: usize, cursor: usize) {
    let [title, rule, body, place, keys] = Layout::vertical([
        Constraint::Length(1),
        Constraint::Length(1),
        Constraint::Fill(1),
        Constraint::Length(1),
        Constraint::Length(1),
    ])
    .areas(frame.area());
    let [list, pane] = Layout::horizontal([Constraint::Length(80), Constraint::Fill(1)]).areas(body);
    frame.render_widget("lapel  Home  Templates  History  Wallet  Badge  Activity", title);
    frame.render_widget(Block::new().borders(Borders::TOP), rule);
    let shown = first..(first + usize::from(list.height.saturating_sub(1))).min(ALL);
    let rows = shown.map(|row| {
        let style = if row == cursor { Style::new().bg(Color::Indexed(17)) } else { Style::new() };
        Row::new(cells(row)).style(style)
    });
    let widths = [8, 14, 18, 18, 16, 5].map(Constraint::Length);
    frame.render_widget(Table::new(rows, widths).header(Row::new(HEADER)), list);
    let about = cells(cursor).map(Line::from).to_vec();
    frame.render_widget(Paragraph::new(about).block(Block::new().borders(Borders::LEFT)), pane);
    frame.render_widget(format!("row {} of 1,000,000", cursor + 1), place);
    frame.render_widget("⏎ open  space mark  x revoke  / filter  ? help  q quit", keys);
}

pub fn run() -> std::io::Result<()> {
    enable_raw_mode()?;
    execute!(stdout(), EnterAlternateScreen)?;
    let mut terminal = Terminal::new(CrosstermBackend::new(BufWriter::new(stdout())))?;
    let (mut first, mut cursor) = (0, 0);
    loop {
        execute!(terminal.backend_mut(), BeginSynchronizedUpdate)?;
        terminal.draw(|frame| draw(frame, first, cursor))?;
        execute!(terminal.backend_mut(), EndSynchronizedUpdate)?;
        Write::flush(terminal.backend_mut())?;
        let page = usize::from(terminal.size()?.height.saturating_sub(5));
        let Event::Key(key) = read()? else { continue };
        match key.code {
            _ if key.kind == KeyEventKind::Release => {}
            KeyCode::Char('j') => cursor = (cursor + 1).min(ALL - 1),
            KeyCode::PageDown => {
                cursor = (cursor + page).min(ALL - 1);
                first = (first + page).min(ALL - page);
            }
            KeyCode::Char('q') => return Ok(()),
            _ => {}
        }
        first = first.clamp((cursor + 1).saturating_sub(page), cursor);
    }
}

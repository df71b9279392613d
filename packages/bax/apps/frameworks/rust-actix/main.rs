use actix_web::{web, App, HttpResponse, HttpServer};
use rusqlite::Connection;
use serde::Deserialize;
use std::sync::Mutex;

#[derive(Deserialize)]
struct Request {
    expression: String,
}

struct Calculator {
    tokens: Vec<String>,
    at: usize,
}

impl Calculator {
    fn new(expression: &str) -> Self {
        let mut tokens: Vec<String> = Vec::new();
        let mut in_number = false;
        for character in expression.chars() {
            let part = character.is_ascii_digit() || character == '.';
            match tokens.last_mut() {
                Some(last) if part && in_number => last.push(character),
                _ if !character.is_whitespace() => tokens.push(character.to_string()),
                _ => {}
            }
            in_number = part;
        }
        Calculator { tokens, at: 0 }
    }

    fn peek(&self) -> &str {
        self.tokens.get(self.at).map_or("", String::as_str)
    }

    fn take(&mut self) -> String {
        self.at += 1;
        self.tokens.get(self.at - 1).cloned().unwrap_or_default()
    }

    fn factor(&mut self) -> Option<f64> {
        match self.take().as_str() {
            "-" => self.factor().map(|value| -value),
            "+" => self.factor(),
            "(" => {
                let value = self.sum()?;
                (self.take() == ")").then_some(value)
            }
            token if token.starts_with(|c: char| c.is_ascii_digit()) => token.parse().ok(),
            _ => None,
        }
    }

    fn product(&mut self) -> Option<f64> {
        let mut value = self.factor()?;
        while matches!(self.peek(), "*" | "/") {
            if self.take() == "*" {
                value *= self.factor()?;
            } else {
                value /= self.factor()?;
            }
        }
        Some(value)
    }

    fn sum(&mut self) -> Option<f64> {
        let mut value = self.product()?;
        while matches!(self.peek(), "+" | "-") {
            if self.take() == "+" {
                value += self.product()?;
            } else {
                value -= self.product()?;
            }
        }
        Some(value)
    }
}

fn calculate(expression: &str) -> Option<String> {
    if expression.len() > 200 {
        return None;
    }
    let mut calculator = Calculator::new(expression);
    let value = calculator.sum()?;
    (calculator.at == calculator.tokens.len() && value.is_finite()).then(|| value.to_string())
}

async fn calculator(request: web::Json<Request>, database: web::Data<Mutex<Connection>>) -> HttpResponse {
    let Some(result) = calculate(&request.expression) else {
        return HttpResponse::BadRequest().json(serde_json::json!({ "error": "invalid expression" }));
    };
    let Ok(connection) = database.lock() else {
        return HttpResponse::InternalServerError().finish();
    };
    match connection.execute("INSERT INTO calculations VALUES (?1, ?2)", (&request.expression, &result)) {
        Ok(_) => HttpResponse::Ok().json(serde_json::json!({ "result": result })),
        Err(_) => HttpResponse::InternalServerError().finish(),
    }
}

#[actix_web::main]
async fn main() -> std::io::Result<()> {
    let connection = Connection::open("db.sqlite3").expect("no database");
    connection.execute("CREATE TABLE IF NOT EXISTS calculations (expression TEXT, result TEXT)", ()).expect("no table");
    let database = web::Data::new(Mutex::new(connection));
    HttpServer::new(move || App::new().app_data(database.clone()).route("/calculator", web::post().to(calculator)))
        .bind(("0.0.0.0", 5000))?
        .run()
        .await
}

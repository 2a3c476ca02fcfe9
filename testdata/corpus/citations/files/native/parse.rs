use std::collections::HashMap;

#[derive(Debug, Clone, PartialEq)]
pub enum Value {
    Text(String),
    Number(i64),
    List(Vec<Value>),
}

pub fn parse_number(input: &str) -> Option<i64> {
    let trimmed = input.trim();
    if trimmed.is_empty() {
        return None;
    }
    Some(trimmed.parse::<i64>().unwrap())
}

pub fn parse_pairs(input: &str) -> HashMap<String, Value> {
    let mut pairs = HashMap::new();
    for line in input.lines() {
        let (key, value) = match line.split_once('=') {
            Some(pair) => pair,
            None => continue,
        };
        pairs.insert(key.to_string(), Value::Text(value.to_string()));
    }
    pairs
}

impl Value {
    pub fn depth(&self) -> usize {
        match self {
            Value::List(items) => 1 + items.iter().map(|v| v.depth()).max().unwrap_or(0),
            _ => 0,
        }
    }
}

package main

import (
	"database/sql"
	"encoding/json"
	"errors"
	"log"
	"math"
	"net/http"
	"regexp"
	"strconv"

	_ "github.com/mattn/go-sqlite3"
)

// calculator reads one arithmetic expression from the left.
type calculator struct {
	tokens []string
	at     int
}

var token = regexp.MustCompile(`\d+(?:\.\d+)?|\S`)
var number = regexp.MustCompile(`^\d`)

func (c *calculator) peek() string {
	if c.at < len(c.tokens) {
		return c.tokens[c.at]
	}
	return ""
}

func (c *calculator) factor() (float64, error) {
	next := c.peek()
	c.at++
	switch {
	case next == "-":
		value, err := c.factor()
		return -value, err
	case next == "+":
		return c.factor()
	case next == "(":
		value, err := c.sum()
		if err == nil && c.peek() != ")" {
			err = errors.New("open bracket")
		}
		c.at++
		return value, err
	case number.MatchString(next):
		return strconv.ParseFloat(next, 64)
	}
	return 0, errors.New("not arithmetic")
}

func (c *calculator) product() (float64, error) {
	value, err := c.factor()
	for err == nil && (c.peek() == "*" || c.peek() == "/") {
		operator := c.peek()
		c.at++
		var next float64
		next, err = c.factor()
		if operator == "*" {
			value *= next
		} else {
			value /= next
		}
	}
	return value, err
}

func (c *calculator) sum() (float64, error) {
	value, err := c.product()
	for err == nil && (c.peek() == "+" || c.peek() == "-") {
		operator := c.peek()
		c.at++
		var next float64
		next, err = c.product()
		if operator == "+" {
			value += next
		} else {
			value -= next
		}
	}
	return value, err
}

func calculate(expression string) (string, error) {
	if len(expression) > 200 {
		return "", errors.New("too long")
	}
	c := &calculator{tokens: token.FindAllString(expression, -1)}
	value, err := c.sum()
	if err != nil || c.at != len(c.tokens) || math.IsInf(value, 0) || math.IsNaN(value) {
		return "", errors.New("not arithmetic")
	}
	return strconv.FormatFloat(value, 'f', -1, 64), nil
}

func open() *sql.DB {
	database, err := sql.Open("sqlite3", "db.sqlite3")
	if err != nil {
		log.Fatal(err)
	}
	if _, err := database.Exec("CREATE TABLE IF NOT EXISTS calculations (expression TEXT, result TEXT)"); err != nil {
		log.Fatal(err)
	}
	return database
}

func main() {
	database := open()
	http.HandleFunc("POST /calculator", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		var request struct {
			Expression string `json:"expression"`
		}
		err := json.NewDecoder(http.MaxBytesReader(w, r.Body, 10_000)).Decode(&request)
		result := ""
		if err == nil {
			result, err = calculate(request.Expression)
		}
		if err != nil {
			w.WriteHeader(http.StatusBadRequest)
			return
		}
		if _, err := database.Exec("INSERT INTO calculations VALUES (?, ?)", request.Expression, result); err != nil {
			w.WriteHeader(http.StatusInternalServerError)
			return
		}
		_ = json.NewEncoder(w).Encode(map[string]string{"result": result})
	})
	log.Fatal(http.ListenAndServe("0.0.0.0:5000", nil))
}

package main

import (
	"database/sql"
	"errors"
	"log"
	"math"
	"regexp"
	"strconv"

	"github.com/gofiber/fiber/v2"
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
	app := fiber.New()
	app.Post("/calculator", func(c *fiber.Ctx) error {
		var request struct {
			Expression string `json:"expression"`
		}
		err := c.BodyParser(&request)
		result := ""
		if err == nil {
			result, err = calculate(request.Expression)
		}
		if err != nil {
			return c.Status(fiber.StatusBadRequest).JSON(fiber.Map{"error": "invalid expression"})
		}
		if _, err := database.Exec("INSERT INTO calculations VALUES (?, ?)", request.Expression, result); err != nil {
			return err
		}
		return c.JSON(fiber.Map{"result": result})
	})
	log.Fatal(app.Listen("0.0.0.0:5000"))
}

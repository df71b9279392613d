package harness

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"math"
	"reflect"
	"strconv"
	"unicode/utf8"
)

// decodeArguments makes what the function takes of a tagged list.
func decodeArguments(function reflect.Type, input json.RawMessage) ([]reflect.Value, error) {
	decoder := json.NewDecoder(bytes.NewReader(input))
	decoder.UseNumber()
	var items []interface{}
	if err := decoder.Decode(&items); err != nil {
		return nil, fmt.Errorf("the arguments cannot be read: %v", err)
	}
	fixed := function.NumIn()
	if function.IsVariadic() && len(items) >= fixed-1 {
		if _, spread := list(last(items)); len(items) != fixed || !spread {
			fixed--
		}
	} else if len(items) != fixed {
		return nil, fmt.Errorf("the function takes %d arguments, not %d", fixed, len(items))
	}
	arguments := make([]reflect.Value, len(items))
	for index, item := range items {
		kind := function.In(min(index, function.NumIn()-1))
		if index >= fixed {
			kind = function.In(function.NumIn() - 1).Elem()
		}
		value := reflect.New(kind).Elem()
		if err := fill(value, item); err != nil {
			return nil, fmt.Errorf("argument %d: %v", index+1, err)
		}
		arguments[index] = value
	}
	return arguments, nil
}

func last(items []interface{}) interface{} {
	if len(items) == 0 {
		return nil
	}
	return items[len(items)-1]
}

func fill(value reflect.Value, item interface{}) error {
	switch value.Kind() {
	case reflect.Bool:
		if flag, ok := item.(bool); ok {
			value.SetBool(flag)
			return nil
		}
	case reflect.String:
		if text, ok := item.(string); ok {
			value.SetString(text)
			return nil
		}
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return fillInteger(value, item)
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return fillUnsigned(value, item)
	case reflect.Float32, reflect.Float64:
		if number, ok := float(item); ok {
			value.SetFloat(number)
			return nil
		}
	case reflect.Slice, reflect.Array:
		return fillElements(value, item)
	case reflect.Map:
		return fillMap(value, item)
	case reflect.Ptr:
		if absent(item) {
			return nil
		}
		value.Set(reflect.New(value.Type().Elem()))
		return fill(value.Elem(), item)
	case reflect.Interface:
		if natural := natural(item); natural != nil && reflect.TypeOf(natural).AssignableTo(value.Type()) {
			value.Set(reflect.ValueOf(natural))
			return nil
		} else if natural == nil {
			return nil
		}
	}
	return fmt.Errorf("%s cannot be given as %s", name(item), value.Type())
}

func fillInteger(value reflect.Value, item interface{}) error {
	if text, ok := item.(string); ok && value.Kind() == reflect.Int32 && utf8.RuneCountInString(text) == 1 {
		character, _ := utf8.DecodeRuneInString(text)
		value.SetInt(int64(character))
		return nil
	}
	number, err := strconv.ParseInt(digits(item), 10, value.Type().Bits())
	if err != nil {
		return fmt.Errorf("%s cannot be given as %s", name(item), value.Type())
	}
	value.SetInt(number)
	return nil
}

func fillUnsigned(value reflect.Value, item interface{}) error {
	if text, ok := item.(string); ok && value.Kind() == reflect.Uint8 && len(text) == 1 {
		value.SetUint(uint64(text[0]))
		return nil
	}
	number, err := strconv.ParseUint(digits(item), 10, value.Type().Bits())
	if err != nil {
		return fmt.Errorf("%s cannot be given as %s", name(item), value.Type())
	}
	value.SetUint(number)
	return nil
}

// digits of a whole number; what is none gives something that no integer is read from.
func digits(item interface{}) string {
	if number, ok := item.(json.Number); ok {
		if whole, err := number.Float64(); err == nil && whole == math.Trunc(whole) && math.Abs(whole) <= safeInteger {
			return strconv.FormatInt(int64(whole), 10)
		}
		return number.String()
	}
	if text, ok := tagText(item, "bigint"); ok {
		return text
	}
	if text, ok := tagText(item, "number"); ok && text == "-0" {
		return "0"
	}
	return ""
}

func float(item interface{}) (float64, bool) {
	text := ""
	if number, ok := item.(json.Number); ok {
		text = number.String()
	} else if special, ok := tagText(item, "number"); ok {
		text = special
	} else if big, ok := tagText(item, "bigint"); ok {
		text = big
	}
	number, err := strconv.ParseFloat(text, 64)
	return number, err == nil
}

func fillElements(value reflect.Value, item interface{}) error {
	if text, ok := tagText(item, "bytes"); ok && value.Kind() == reflect.Slice && value.Type().Elem().Kind() == reflect.Uint8 {
		decoded, err := base64.StdEncoding.DecodeString(text)
		value.SetBytes(decoded)
		return err
	}
	items, ok := list(item)
	if !ok && !absent(item) {
		return fmt.Errorf("%s cannot be given as %s", name(item), value.Type())
	}
	if value.Kind() == reflect.Slice {
		value.Set(reflect.MakeSlice(value.Type(), len(items), len(items)))
	} else if value.Len() != len(items) {
		return fmt.Errorf("%d elements cannot be given as %s", len(items), value.Type())
	}
	for index, each := range items {
		if err := fill(value.Index(index), each); err != nil {
			return err
		}
	}
	return nil
}

func fillMap(value reflect.Value, item interface{}) error {
	object, ok := item.(map[string]interface{})
	if !ok {
		return fmt.Errorf("%s cannot be given as %s", name(item), value.Type())
	}
	value.Set(reflect.MakeMap(value.Type()))
	set := func(key, member interface{}) error {
		madeKey, madeMember := reflect.New(value.Type().Key()).Elem(), reflect.New(value.Type().Elem()).Elem()
		// JSON has no other keys than strings.
		if text, isText := key.(string); isText && madeKey.Kind() != reflect.String && madeKey.Kind() != reflect.Interface {
			key = json.Number(text)
		}
		if err := fill(madeKey, key); err != nil {
			return err
		}
		if err := fill(madeMember, member); err != nil {
			return err
		}
		value.SetMapIndex(madeKey, madeMember)
		return nil
	}
	if kind, _ := object["$type"].(string); kind == "map" || kind == "object" {
		for _, each := range entries(object) {
			if err := set(each[0], each[1]); err != nil {
				return err
			}
		}
		return nil
	}
	for key, member := range object {
		if err := set(key, member); err != nil {
			return err
		}
	}
	return nil
}

func entries(object map[string]interface{}) [][]interface{} {
	var pairs [][]interface{}
	items, _ := object["entries"].([]interface{})
	for _, item := range items {
		if pair, ok := item.([]interface{}); ok && len(pair) == 2 {
			pairs = append(pairs, pair)
		}
	}
	return pairs
}

func tagText(item interface{}, kind string) (string, bool) {
	object, _ := item.(map[string]interface{})
	text, ok := object["value"].(string)
	return text, ok && object["$type"] == kind
}

func list(item interface{}) ([]interface{}, bool) {
	if object, ok := item.(map[string]interface{}); ok {
		if kind, _ := object["$type"].(string); kind == "tuple" || kind == "set" || kind == "frozenset" || kind == "typed-array" {
			item = object["values"]
		}
	}
	items, ok := item.([]interface{})
	return items, ok
}

func absent(item interface{}) bool {
	object, _ := item.(map[string]interface{})
	return item == nil || object["$type"] == "undefined"
}

// natural is what an empty interface is given.
func natural(item interface{}) interface{} {
	if absent(item) {
		return nil
	}
	if items, ok := list(item); ok {
		made := make([]interface{}, len(items))
		for index, each := range items {
			made[index] = natural(each)
		}
		return made
	}
	if whole, err := strconv.ParseInt(digits(item), 10, 64); err == nil {
		return int(whole)
	}
	if number, ok := float(item); ok {
		return number
	}
	if object, ok := item.(map[string]interface{}); ok {
		made := map[string]interface{}{}
		for key, each := range object {
			made[key] = natural(each)
		}
		return made
	}
	return item
}

func name(item interface{}) string {
	bytes, _ := json.Marshal(item)
	if len(bytes) > 60 {
		return string(bytes[:60]) + "…"
	}
	return string(bytes)
}

func min(a, b int) int {
	if a < b {
		return a
	}
	return b
}

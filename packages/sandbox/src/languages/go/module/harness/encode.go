package harness

import (
	"encoding/json"
	"fmt"
	"math"
	"reflect"
	"sort"
	"strconv"
	"strings"
)

const (
	mostCharacters = 4 << 20
	mostNodes      = 200000
	mostDepth      = 100
	safeInteger    = 1<<53 - 1
)

// encoder writes one value as tagged JSON; see values/tagged-value.ts.
type encoder struct {
	text  strings.Builder
	room  int
	nodes int
	err   error
}

func (e *encoder) put(text string) {
	e.room -= len(text)
	if e.room < 0 {
		e.err = fmt.Errorf("it is longer than %d characters", mostCharacters)
		return
	}
	e.text.WriteString(text)
}

// quote gives ASCII.
func quote(text string) string {
	if len(text) > mostCharacters {
		text = text[:mostCharacters+1]
	}
	bytes, _ := json.Marshal(text)
	return escape(string(bytes))
}

func (e *encoder) value(value reflect.Value, expected *Type, depth int) error {
	e.nodes++
	if e.err != nil {
		return e.err
	}
	if e.nodes > mostNodes {
		return fmt.Errorf("it holds more than %d values", mostNodes)
	}
	if depth > mostDepth {
		return fmt.Errorf("it nests deeper than %d levels", mostDepth)
	}
	switch value.Kind() {
	case reflect.Bool:
		e.put(strconv.FormatBool(value.Bool()))
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		e.integer(value, expected)
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr:
		e.unsigned(value, expected)
	case reflect.Float32:
		e.float(value.Float(), 32)
	case reflect.Float64:
		e.float(value.Float(), 64)
	case reflect.Complex64, reflect.Complex128:
		e.put(`{"$type":"complex","value":` + quote(fmt.Sprint(value.Complex())) + `}`)
	case reflect.String:
		e.put(quote(value.String()))
	case reflect.Slice, reflect.Array:
		return e.elements(value, expected, depth)
	case reflect.Map:
		return e.mapping(value, expected, depth)
	case reflect.Ptr, reflect.Interface:
		if value.IsNil() {
			e.put("null")
			return nil
		}
		return e.value(value.Elem(), present(expected), depth+1)
	case reflect.Struct:
		return e.structure(value, depth)
	case reflect.Func:
		e.put(`{"$type":"function","name":""}`)
	case reflect.Invalid:
		e.put("null")
	default:
		e.put(`{"$type":"exotic","why":` + quote("a value of type "+value.Type().String()) + `}`)
	}
	return e.err
}

// present is the type of a value that is there.
func present(expected *Type) *Type {
	if expected != nil && expected.Kind == "optional" {
		return expected.Of
	}
	return expected
}

func elementOf(expected *Type) *Type {
	if expected = present(expected); expected != nil && (expected.Kind == "list" || expected.Kind == "map") {
		return expected.Of
	}
	return nil
}

func wantsText(expected *Type) bool {
	expected = present(expected)
	return expected != nil && expected.Kind == "string"
}

func (e *encoder) integer(value reflect.Value, expected *Type) {
	number := value.Int()
	if value.Kind() == reflect.Int32 && wantsText(expected) {
		e.put(quote(string(rune(number))))
	} else if number > safeInteger || number < -safeInteger {
		e.put(`{"$type":"bigint","value":"` + strconv.FormatInt(number, 10) + `"}`)
	} else {
		e.put(strconv.FormatInt(number, 10))
	}
}

func (e *encoder) unsigned(value reflect.Value, expected *Type) {
	number := value.Uint()
	if value.Kind() == reflect.Uint8 && wantsText(expected) {
		e.put(quote(string(rune(number))))
	} else if number > safeInteger {
		e.put(`{"$type":"bigint","value":"` + strconv.FormatUint(number, 10) + `"}`)
	} else {
		e.put(strconv.FormatUint(number, 10))
	}
}

func (e *encoder) float(number float64, bits int) {
	name := ""
	switch {
	case math.IsNaN(number):
		name = "NaN"
	case math.IsInf(number, 1):
		name = "Infinity"
	case math.IsInf(number, -1):
		name = "-Infinity"
	case number == 0 && math.Signbit(number):
		name = "-0"
	default:
		e.put(strconv.FormatFloat(number, 'g', -1, bits))
		return
	}
	e.put(`{"$type":"number","value":"` + name + `"}`)
}

func (e *encoder) elements(value reflect.Value, expected *Type, depth int) error {
	kind := value.Type().Elem().Kind()
	if wantsText(expected) && (kind == reflect.Uint8 || kind == reflect.Int32) {
		text := make([]rune, 0, value.Len())
		if kind == reflect.Uint8 && value.Kind() == reflect.Slice {
			e.put(quote(string(value.Bytes())))
			return e.err
		}
		for index := 0; index < value.Len() && index <= mostCharacters; index++ {
			if kind == reflect.Uint8 {
				text = append(text, rune(value.Index(index).Uint()))
			} else {
				text = append(text, rune(value.Index(index).Int()))
			}
		}
		e.put(quote(string(text)))
		return e.err
	}
	return e.list(value.Len(), value.Index, elementOf(expected), depth)
}

func (e *encoder) list(length int, at func(int) reflect.Value, expected *Type, depth int) error {
	e.put("[")
	for index := 0; index < length; index++ {
		if index > 0 {
			e.put(",")
		}
		if err := e.value(at(index), expected, depth+1); err != nil {
			return err
		}
	}
	e.put("]")
	return e.err
}

func (e *encoder) mapping(value reflect.Value, expected *Type, depth int) error {
	keys := value.MapKeys()
	if value.Type().Key().Kind() != reflect.String {
		e.put(`{"$type":"map",`)
		return e.entries(keys, value.MapIndex, elementOf(expected), depth)
	}
	sort.Slice(keys, func(a, b int) bool { return keys[a].String() < keys[b].String() })
	if value.MapIndex(reflect.ValueOf("$type").Convert(value.Type().Key())).IsValid() {
		e.put(`{"$type":"object",`)
		return e.entries(keys, value.MapIndex, elementOf(expected), depth)
	}
	e.put("{")
	for index, key := range keys {
		if index > 0 {
			e.put(",")
		}
		e.put(quote(key.String()) + ":")
		if err := e.value(value.MapIndex(key), elementOf(expected), depth+1); err != nil {
			return err
		}
	}
	e.put("}")
	return e.err
}

func (e *encoder) entries(keys []reflect.Value, at func(reflect.Value) reflect.Value, expected *Type, depth int) error {
	e.put(`"entries":[`)
	for index, key := range keys {
		if index > 0 {
			e.put(",")
		}
		e.put("[")
		if err := e.value(key, nil, depth+1); err != nil {
			return err
		}
		e.put(",")
		if err := e.value(at(key), expected, depth+1); err != nil {
			return err
		}
		e.put("]")
	}
	e.put("]}")
	return e.err
}

func (e *encoder) structure(value reflect.Value, depth int) error {
	e.put(`{"$type":"instance","class":` + quote(value.Type().Name()) + `,"base":"object",`)
	names := make([]reflect.Value, value.NumField())
	fields := map[string]reflect.Value{}
	for index := range names {
		name := value.Type().Field(index).Name
		names[index] = reflect.ValueOf(name)
		fields[name] = value.Field(index)
	}
	return e.entries(names, func(name reflect.Value) reflect.Value { return fields[name.String()] }, nil, depth)
}

func escape(text string) string {
	var out strings.Builder
	for _, each := range text {
		switch {
		case each < 0x80:
			out.WriteRune(each)
		case each < 0x10000:
			fmt.Fprintf(&out, `\u%04x`, each)
		default:
			each -= 0x10000
			fmt.Fprintf(&out, `\u%04x\u%04x`, 0xd800+(each>>10), 0xdc00+(each&0x3ff))
		}
	}
	return out.String()
}

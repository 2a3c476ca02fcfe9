package protocol

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"reflect"
	"regexp"
	"strconv"
	"strings"
)

// This file is the slow and obvious twin of the codec: reflection over the json tags, and
// encoding/json for everything that is JSON.

var (
	eventTypes  = membersOf("event", func(d *decoder, name string) any { return decodeEvent(d, name) })
	effectTypes = membersOf("effect", func(d *decoder, name string) any { return decodeEffect(d, name) })
)

// membersOf finds the members of the wire by the lines that declare them.
func membersOf(role string, one func(*decoder, string) any) map[string]reflect.Type {
	types := map[string]reflect.Type{}
	for _, file := range []string{"events.go", "effects.go"} {
		text, err := os.ReadFile(file)
		if err != nil {
			panic(err)
		}
		for _, m := range regexp.MustCompile(`(?m)^// wire:`+role+` (\w+)$`).FindAllSubmatch(text, -1) {
			types[string(m[1])] = reflect.TypeOf(one(&decoder{data: []byte("{}")}, string(m[1]))).Elem()
		}
	}
	return types
}

// fill makes a value with every field set. Depth bounds a History inside a History.
func fill(t reflect.Type, depth int) reflect.Value {
	v := reflect.New(t).Elem()
	switch {
	case t == reflect.TypeFor[JSON]():
		v.SetString(`{"k":[1,"x",null]}`)
	case t == reflect.TypeFor[Event]():
		v.Set(reflect.ValueOf(&Text{Session: "s", Text: "inner"}))
	case t == reflect.TypeFor[Effect]():
		v.Set(reflect.ValueOf(&Load{Session: "s"}))
	case t.Kind() == reflect.String:
		v.SetString("a \"b\" \\ \n é 漢 \x00")
	case t.Kind() == reflect.Bool:
		v.SetBool(true)
	case t.Kind() == reflect.Int, t.Kind() == reflect.Int64:
		v.SetInt(-1234567)
	case t.Kind() == reflect.Slice:
		v.Set(reflect.Append(v, fill(t.Elem(), depth), fill(t.Elem(), depth)))
	case t.Kind() == reflect.Struct:
		for i := range t.NumField() {
			v.Field(i).Set(fill(t.Field(i).Type, depth+1))
		}
	default:
		panic("fill: " + t.String())
	}
	return v
}

func filledEvents() (all []Event) {
	for _, t := range eventTypes {
		all = append(all, fill(t, 0).Addr().Interface().(Event), reflect.New(t).Interface().(Event))
	}
	return all
}

func filledEffects() (all []Effect) {
	for _, t := range effectTypes {
		all = append(all, fill(t, 0).Addr().Interface().(Effect), reflect.New(t).Interface().(Effect))
	}
	return all
}

// plainValue gives what encoding/json would read back from v into an any, with JSON fields
// embedded, events with their type, and nil lists as empty ones.
func plainValue(v reflect.Value) any {
	switch t := v.Type(); {
	case t == reflect.TypeFor[JSON]():
		var x any
		if v.String() != "" {
			if err := json.Unmarshal([]byte(v.String()), &x); err != nil {
				panic(err)
			}
		}
		return x
	case t.Kind() == reflect.Interface:
		return plainValue(v.Elem().Elem())
	case t.Kind() == reflect.String:
		return v.String()
	case t.Kind() == reflect.Bool:
		return v.Bool()
	case v.CanInt():
		return float64(v.Int())
	case t.Kind() == reflect.Slice:
		list := []any{}
		for i := range v.Len() {
			one := plainValue(v.Index(i))
			if e, ok := v.Index(i).Interface().(Event); ok {
				one.(map[string]any)["type"] = e.EventType()
			}
			list = append(list, one)
		}
		return list
	}
	m := map[string]any{}
	for i := range v.NumField() {
		key, options, _ := strings.Cut(v.Type().Field(i).Tag.Get("json"), ",")
		empty := v.Field(i).IsZero() || v.Field(i).Kind() == reflect.Slice && v.Field(i).Len() == 0
		if options == "" || !empty {
			m[key] = plainValue(v.Field(i))
		}
	}
	return m
}

// referenceBatch decodes like DecodeBatch. It gives the paths of failures only.
func referenceBatch(data []byte) (batch Batch, failed []string) {
	if !json.Valid(data) {
		return Batch{}, []string{"message"}
	}
	r := &reference{}
	r.object(data, reflect.ValueOf(&batch).Elem(), "batch")
	if r.bad != "" {
		return Batch{}, append(r.failed, r.bad)
	}
	return batch, r.failed
}

type reference struct {
	bad    string
	failed []string
}

func (r *reference) reject(path string) {
	if r.bad == "" {
		r.bad = path
	}
}

type keyed struct {
	key   string
	value json.RawMessage
}

// keys lists the members of an object in their order.
func keys(data []byte) (list []keyed, ok bool) {
	d := json.NewDecoder(bytes.NewReader(data))
	if t, err := d.Token(); err != nil || t != json.Delim('{') {
		return nil, false
	}
	for d.More() {
		t, err := d.Token()
		if err != nil {
			panic(err)
		}
		k := keyed{key: t.(string)}
		if err := d.Decode(&k.value); err != nil {
			panic(err)
		}
		list = append(list, k)
	}
	return list, true
}

func (r *reference) object(data []byte, v reflect.Value, path string) {
	list, ok := keys(data)
	if !ok {
		if string(data) != "null" {
			r.reject(path)
		}
		return
	}
	for _, k := range list {
		for i := range v.NumField() {
			if key, _, _ := strings.Cut(v.Type().Field(i).Tag.Get("json"), ","); key == k.key {
				v.Field(i).SetZero()
				r.value(k.value, v.Field(i), path+"."+key)
			}
		}
	}
}

func (r *reference) value(data []byte, v reflect.Value, path string) {
	var err error
	switch t := v.Type(); {
	case string(data) == "null":
	case t == reflect.TypeFor[JSON]():
		v.SetString(string(data))
	case t.Kind() == reflect.Struct:
		r.object(data, v, partPath(t))
	case t.Kind() == reflect.Slice:
		var list []json.RawMessage
		if err = json.Unmarshal(data, &list); err != nil {
			break
		}
		for _, one := range list {
			e := reflect.New(t.Elem()).Elem()
			if e.Kind() == reflect.Interface {
				if got := r.event(one, path); got != nil {
					v.Set(reflect.Append(v, reflect.ValueOf(got)))
				}
				continue
			}
			r.value(one, e, path)
			v.Set(reflect.Append(v, e))
		}
	case v.CanInt():
		var n json.Number
		if data[0] == '"' {
			err = fmt.Errorf("a string")
		} else if err = json.Unmarshal(data, &n); err == nil {
			whole, e := strconv.ParseInt(string(n), 10, 64)
			if e != nil {
				var f float64
				if f, err = strconv.ParseFloat(string(n), 64); f >= 1<<63 || f < -1<<63 {
					err = fmt.Errorf("out of range")
				}
				whole = int64(f)
			}
			v.SetInt(whole)
		}
	default:
		err = json.Unmarshal(data, v.Addr().Interface())
	}
	if err != nil {
		r.reject(path)
	}
}

func (r *reference) event(data []byte, path string) any {
	outer := r.bad
	defer func() { r.bad = outer }()
	r.bad = ""
	list, ok := keys(data)
	name := ""
	for _, k := range list {
		if k.key == "type" {
			ok = k.value[0] == '"'
			if ok {
				_ = json.Unmarshal(k.value, &name)
			}
			break
		}
		ok = false
	}
	t := eventTypes[name]
	switch {
	case !ok || len(list) == 0:
		r.failed = append(r.failed, path)
		return nil
	case t == nil:
		r.failed = append(r.failed, "event."+name[:min(len(name), 64)])
		return nil
	}
	v := reflect.New(t).Elem()
	r.object(data, v, name)
	if r.bad != "" {
		r.failed = append(r.failed, r.bad)
		return nil
	}
	return v.Addr().Interface()
}

func partPath(t reflect.Type) string { return strings.ToLower(t.Name()[:1]) + t.Name()[1:] }

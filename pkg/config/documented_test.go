package config

import (
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"
)

// leaves gives the settings below a struct by their addresses, named as Go names them.
func leaves(v reflect.Value, into map[any]string) map[any]string {
	for i := range v.NumField() {
		if f := v.Field(i); f.Kind() == reflect.Struct && f.Type() != reflect.TypeFor[Roster]() {
			leaves(f, into)
		} else {
			into[f.Addr().Interface()] = v.Type().Field(i).Name
		}
	}
	return into
}

// The documentation is made of fields: a setting without one could not be found, and a key that nothing reads would do nothing.
func TestEverySettingHasAKeyThatIsRead(t *testing.T) {
	var code strings.Builder
	err := filepath.WalkDir("..", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") || path == filepath.Join("..", "config", "fields.go") {
			return err
		}
		text, err := os.ReadFile(path)
		code.Write(text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	var c Config
	settings := leaves(reflect.ValueOf(&c).Elem(), map[any]string{})
	for _, f := range Fields() {
		name, ok := settings[f.at(&c)]
		if !ok {
			t.Errorf("%s sets nothing of Config, or what another key sets too", f.Key)
			continue
		}
		delete(settings, f.at(&c))
		if !regexp.MustCompile(`\.` + name + `\b`).MatchString(code.String()) {
			t.Errorf("nothing reads %s, which %s sets", name, f.Key)
		}
		if f.Meaning == "" || strings.HasSuffix(f.Meaning, ".") {
			t.Errorf("%s has the meaning %q, want a sentence without a stop", f.Key, f.Meaning)
		}
	}
	for _, name := range settings {
		t.Errorf("no key sets %s", name)
	}
}

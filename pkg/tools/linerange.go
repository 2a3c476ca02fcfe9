package tools

import (
	"errors"
	"strconv"
	"strings"

	"github.com/Kayphoon/opencode-advisor/pkg/safefs"
)

// lineRange reads what is wanted of the file: offset and limit, a first and
// a last line, or both in one text such as "40-60".
func lineRange(a args) (first, limit int, err error) {
	first, limit = 1, maxReadLines
	if text, ok, textErr := a.text("lines", "range", "linerange"); ok && textErr == nil && strings.Contains(text, "-") {
		if from, to, ok := parseRange(text); ok {
			return from, to - from + 1, nil
		}
	}
	n, hasFirst, err := a.number("offset", "startline", "linestart", "start", "from", "line", "linenumber")
	if err != nil {
		return 0, 0, err
	}
	if hasFirst {
		first = max(n, 1)
	}
	n, ok, err := a.number("limit", "count", "numlines", "maxlines", "linecount", "lines")
	if err != nil {
		return 0, 0, err
	}
	if ok {
		limit = n
	} else if n, ok, err = a.number("endline", "lineend", "end", "to"); err != nil {
		return 0, 0, err
	} else if ok {
		limit = n - first + 1
	}
	if limit < 1 {
		return 0, 0, errors.New("the range of lines is empty; give an offset of 1 or more and a limit from 1 to " + strconv.Itoa(maxReadLines))
	}
	return first, limit, nil
}

// parseRange reads 40-60, L40-L60 or 40.
func parseRange(text string) (from, to int, ok bool) {
	clean := strings.NewReplacer("L", "", "l", "", "-", "-", ":", "-", ",", "-", " ", "").Replace(text)
	first, second, both := strings.Cut(clean, "-")
	from, err := strconv.Atoi(first)
	if err != nil || from < 1 {
		return 0, 0, false
	}
	if !both {
		return from, from, true
	}
	to, err = strconv.Atoi(second)
	return from, to, err == nil && to >= from
}

// resolve also takes /src/a.go for src/a.go: to many models the workspace is
// the root of all there is.
func resolve(env *Env, path string) (safefs.File, error) {
	file, err := env.Files.Resolve(path)
	if safefs.KindOf(err) == safefs.KindOutside && strings.HasPrefix(path, "/") {
		if inside, insideErr := env.Files.Resolve(strings.TrimLeft(path, "/")); insideErr == nil && strings.Trim(path, "/") != "" {
			return inside, nil
		}
	}
	return file, err
}

// resolveWithRange resolves the path as it is, or, when there is no such file,
// without the :40-60 or #L40 that models like to hang on.
func resolveWithRange(env *Env, path string, first, limit *int) (safefs.File, string, error) {
	file, err := resolve(env, path)
	if err == nil || safefs.KindOf(err) != safefs.KindMissing {
		return file, path, err
	}
	cut := strings.LastIndexAny(path, ":#")
	if cut < 1 {
		return file, path, err
	}
	from, to, ok := parseRange(path[cut+1:])
	if !ok {
		return file, path, err
	}
	bare := strings.TrimSuffix(path[:cut], ":")
	if other, otherErr := resolve(env, bare); otherErr == nil {
		if *first == 1 && *limit == maxReadLines {
			if *first = from; to > from {
				*limit = to - from + 1
			}
		}
		return other, bare, nil
	}
	return file, bare, err
}

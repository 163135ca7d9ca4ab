package pattern

import (
	"math"
	"slices"
	"strings"
	"unicode/utf8"
)

// Index finds the rules of a list that could be about a subject, so that a long
// list costs little more than a short one. It is immutable and may be used by
// several goroutines.
//
// Rules are filed under a literal part of what they say: a command's first words,
// the end of a host, a name in a path. Those without one are candidates always.
type Index struct {
	names, lines, hosts, paths drawer
}

// A drawer holds the rules of one kind, by number.
type drawer struct {
	filed map[uint64][]int32 // by the hash of a key
	sizes uint64             // bit n is set if a key in filed may have n bytes, or for 63 more
	rest  []int32            // without a key
	all   []int32
}

// NewIndex files n rules. A rule whose specifier is the zero Spec is never a
// candidate: what it is about shows in its tool's name.
func NewIndex(n int, spec func(i int) Spec) *Index {
	x := &Index{}
	for i := range n {
		switch s := spec(i); {
		case s.names != nil:
			key, _, _ := strings.Cut(s.names.text, " ")
			x.names.file(i, key)
		case s.line != nil:
			x.lines.file(i, s.line.key())
		case s.host != nil:
			x.hosts.file(i, s.host.suffix)
		case s.path != nil:
			x.paths.file(i, append(placeKeys(s.led), s.path.key())...)
		}
	}
	return x
}

// file puts rule i under each of its keys, or in the rest if one is missing.
func (d *drawer) file(i int, keys ...string) {
	d.all = append(d.all, int32(i))
	if slices.Contains(keys, "") {
		d.rest = append(d.rest, int32(i))
		return
	}
	if d.filed == nil {
		d.filed = map[uint64][]int32{}
	}
	for _, key := range keys {
		h := hashOf(key)
		d.filed[h] = append(d.filed[h], int32(i))
		d.sizes |= sizeOf(key)
		if !ascii(key) { // folding changes how long it is
			d.sizes = math.MaxUint64
		}
	}
}

// Candidates appends to dst, in their order, the numbers of all rules that cover
// or touch s, on any platform and base, and perhaps others. It does not allocate
// if dst has room and the names are ASCII.
func (x *Index) Candidates(s Subject, dst []int32) []int32 {
	start := len(dst)
	dst = append(dst, x.names.rest...)
	switch s.Kind {
	case Command:
		dst = append(dst, x.lines.rest...)
	case Host:
		dst = append(dst, x.hosts.rest...)
	case Path:
		if s.Tree {
			dst = append(dst, x.paths.all...)
		} else {
			dst = append(dst, x.paths.rest...)
		}
	}
	for _, n := range s.Names {
		dst = x.named(&s, n, dst)
	}
	for _, n := range s.Inner {
		dst = x.named(&s, n, dst)
	}
	found := dst[start:]
	if len(found) < 2 {
		return dst
	}
	slices.Sort(found)
	return dst[:start+len(slices.Compact(found))]
}

// named appends the rules that are filed under a part of name.
func (x *Index) named(s *Subject, name string, dst []int32) []int32 {
	if len(x.names.filed) > 0 {
		first, _, _ := strings.Cut(name, " ")
		dst = x.names.find(first, dst)
	}
	switch s.Kind {
	case Command:
		if len(x.lines.filed) > 0 {
			first, second := firstWords(name)
			if first == "" {
				break
			}
			hash := hashOf(first)
			dst = append(dst, x.lines.filed[hash]...)
			if second != "" {
				dst = append(dst, x.lines.filed[hashOn(hashOn(hash, " "), second)]...)
			}
		}
	case Host:
		host := foldHost(name)
		for more := len(x.hosts.filed) > 0; more; {
			dst = x.hosts.find(host, dst)
			_, host, more = strings.Cut(host, ".")
		}
	case Path:
		for !s.Tree && len(x.paths.filed) > 0 && name != "" {
			end := 0
			for end < len(name) && name[end] != '/' && name[end] != '\\' {
				end++
			}
			dst = x.paths.find(pathKey(name[:end]), dst)
			name = name[min(end+1, len(name)):]
		}
	}
	return dst
}

func (d *drawer) find(key string, dst []int32) []int32 {
	if key == "" || d.sizes&sizeOf(key) == 0 && ascii(key) {
		return dst
	}
	return append(dst, d.filed[hashOf(key)]...)
}

// sizeOf is the bit of a key in drawer.sizes.
func sizeOf(key string) uint64 { return 1 << min(len(key), 63) }

// key returns the first words of the lines that r is about, as far as they hold no
// star, but two at most; or nothing if there is none.
func (r *lineRule) key() string {
	first, second := firstWords(r.covers.text)
	touched, same := firstWords(r.touches.text)
	switch {
	case strings.Contains(first, "*") || touched != first && !r.folded:
		return ""
	case second == "" || strings.Contains(second, "*") || same != second || r.folded:
		return first
	}
	return first + " " + second
}

func firstWords(line string) (first, second string) {
	first, line = cutWord(line)
	second, _ = cutWord(line)
	return first, second
}

// cutWord returns the first word of line, and what stands behind it.
func cutWord(line string) (word, rest string) {
	from := 0
	for from < len(line) && isBlank(line[from]) {
		from++
	}
	to := from
	for to < len(line) && !isBlank(line[to]) {
		to++
	}
	return line[from:to], line[to:]
}

func isBlank(c byte) bool { return c == ' ' || c == '\t' }

// key returns a name that every path has which p is about, if there is one: the
// last, since the first are those of directories that much lies in.
func (p *pathRule) key() string {
	if p.twofold {
		return ""
	}
	for _, s := range slices.Backward(p.posix.covers.covers) {
		if name, ok := s.literal(); ok {
			if key := ruleKey(name); key != "" {
				return key
			}
		}
	}
	return ""
}

// placeKeys returns the last names of places.
func placeKeys(places []string) []string {
	keys := make([]string, len(places))
	for i, p := range places {
		keys[i] = ruleKey(p[strings.LastIndexByte(p, '/')+1:])
	}
	return keys
}

// ruleKey returns the key to file a rule on name under, or nothing. A backslash
// separates names on Windows only, and a drive has several spellings.
func ruleKey(name string) string {
	if len(name) < 2 || strings.Contains(name, `\`) {
		return ""
	}
	return pathKey(name)
}

// pathKey returns name without what one of the platforms ignores.
func pathKey(name string) string {
	if !ascii(name) {
		name = foldMarks.fold(name)
	}
	name, _, _ = strings.Cut(name, ":")
	end := len(name)
	for end > 0 && (name[end-1] == '.' || name[end-1] == ' ') {
		end--
	}
	return name[:end]
}

func ascii(s string) bool {
	for i := 0; i < len(s); i++ {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// hashOf returns the FNV-1a hash of key in the widest folding. Keys with the same
// hash only make candidates of rules that are none.
func hashOf(key string) uint64 {
	return hashOn(14695981039346656037, key)
}

// hashOn returns the hash of a key that goes on with text, from the hash of what
// stands before it.
func hashOn(h uint64, text string) uint64 {
	before := h
	for i := 0; i < len(text); i++ {
		c := text[i]
		if c >= utf8.RuneSelf {
			return hashOfBytes(before, foldMarks.fold(text))
		}
		h = (h ^ uint64(lowerASCII(c))) * fnvPrime
	}
	return h
}

func hashOfBytes(h uint64, folded string) uint64 {
	for i := 0; i < len(folded); i++ {
		h = (h ^ uint64(lowerASCII(folded[i]))) * fnvPrime
	}
	return h
}

// fnvPrime is what FNV-1a multiplies by.
const fnvPrime = 1099511628211

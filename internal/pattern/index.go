package pattern

import (
	"math"
	"slices"
	"strings"
	"unicode/utf8"
)

// Index finds the rules of a list that may match a subject, so that a long list costs
// little more than a short one. It is immutable and may be used from any goroutine.
//
// Rules are indexed by a literal part of their specifier: the first words of a command, the
// end of a host, a name in a path. Rules without such a part are always candidates.
type Index struct {
	names, lines, hosts, paths bucket
}

// A bucket holds the rules of one kind, by number.
type bucket struct {
	byKey      map[uint64][]int32 // rules by the hash of a key
	keySizes   uint64             // bit n is set if byKey may have a key of n bytes; bit 63 for longer ones
	withoutKey []int32            // rules without a key
	all        []int32
}

// NewIndex indexes n rules. A rule with the zero Spec is never a candidate, since its
// tool's name alone decides.
func NewIndex(n int, spec func(i int) Spec) *Index {
	x := &Index{}
	for i := range n {
		switch s := spec(i); {
		case s.own != nil:
			x.addOwn(i, s)
		case s.names != nil:
			key, _, _ := strings.Cut(strings.TrimSpace(s.names.covers.text), " ")
			x.names.add(i, key)
		case s.line != nil:
			x.lines.add(i, s.line.key())
		case s.host != nil:
			x.hosts.add(i, s.host.suffix)
		case s.path != nil:
			x.paths.add(i, append(placeKeys(s.linkTargets), s.path.key())...)
		}
	}
	return x
}

// addOwn adds a rule on a tool of the host's own to the bucket of each kind. Only names have
// a key, since such rules are few.
func (x *Index) addOwn(i int, s Spec) {
	if names := s.own.byKind[Text].names; names != nil {
		key, _, _ := strings.Cut(strings.TrimSpace(names.covers.text), " ")
		if strings.Contains(key, "*") {
			key = ""
		}
		x.names.add(i, key)
	}
	x.lines.addIf(i, s.own.byKind[Command].line != nil)
	x.hosts.addIf(i, s.own.byKind[Host].host != nil)
	x.paths.addIf(i, s.own.byKind[Path].path != nil)
}

// addIf adds rule i without a key if ok.
func (d *bucket) addIf(i int, ok bool) {
	if ok {
		d.add(i, "")
	}
}

// add adds rule i under each of its keys, or without a key if one is empty.
func (d *bucket) add(i int, keys ...string) {
	d.all = append(d.all, int32(i))
	if slices.Contains(keys, "") {
		d.withoutKey = append(d.withoutKey, int32(i))
		return
	}
	if d.byKey == nil {
		d.byKey = map[uint64][]int32{}
	}
	for _, key := range keys {
		h := hashOf(key)
		d.byKey[h] = append(d.byKey[h], int32(i))
		d.keySizes |= sizeOf(key)
		if !ascii(key) { // folding changes its length
			d.keySizes = math.MaxUint64
		}
	}
}

// Candidates appends to dst, in order, the numbers of all rules that cover or touch s on any
// platform and base, and perhaps of others. It does not allocate if dst has room and the
// names are ASCII.
func (x *Index) Candidates(s Subject, dst []int32) []int32 {
	start := len(dst)
	if s.Doubtful {
		return x.appendAll(&s, dst)
	}
	dst = append(dst, x.names.withoutKey...)
	switch s.Kind {
	case Command:
		if s.Unparsed {
			dst = append(dst, x.lines.all...)
		} else {
			dst = append(dst, x.lines.withoutKey...)
		}
	case Host:
		dst = append(dst, x.hosts.withoutKey...)
	case Path:
		if s.Tree {
			dst = append(dst, x.paths.all...)
		} else {
			dst = append(dst, x.paths.withoutKey...)
		}
	}
	for _, n := range s.Names {
		dst = x.appendSpellings(&s, n, dst)
	}
	for _, n := range s.Nested {
		dst = x.appendSpellings(&s, n, dst)
	}
	found := dst[start:]
	if len(found) < 2 {
		return dst
	}
	slices.Sort(found)
	return dst[:start+len(slices.Compact(found))]
}

// appendAll appends all rules that are about subjects of the kind of s.
func (x *Index) appendAll(s *Subject, dst []int32) []int32 {
	start := len(dst)
	dst = append(dst, x.names.all...)
	switch s.Kind {
	case Command:
		dst = append(dst, x.lines.all...)
	case Host:
		dst = append(dst, x.hosts.all...)
	case Path:
		dst = append(dst, x.paths.all...)
	}
	slices.Sort(dst[start:])
	return dst[:start+len(slices.Compact(dst[start:]))]
}

// appendSpellings appends the rules with a key in name, or in a command without quotes that
// mean nothing.
func (x *Index) appendSpellings(s *Subject, name string, dst []int32) []int32 {
	if s.Kind == Command {
		if plain, ok := withoutPlainQuotes(normalizeBlanks(name)); ok {
			dst = x.appendMatching(s, plain, dst)
		}
	}
	return x.appendMatching(s, name, dst)
}

// appendMatching appends the rules with a key in name.
func (x *Index) appendMatching(s *Subject, name string, dst []int32) []int32 {
	if len(x.names.byKey) > 0 {
		first, _, _ := strings.Cut(strings.TrimSpace(name), " ")
		dst = x.names.appendByKey(first, dst)
	}
	switch s.Kind {
	case Command:
		if len(x.lines.byKey) > 0 {
			first, second := firstWords(name)
			if first == "" {
				break
			}
			hash := hashOf(first)
			dst = append(dst, x.lines.byKey[hash]...)
			if second != "" {
				dst = append(dst, x.lines.byKey[continueHash(continueHash(hash, " "), second)]...)
			}
		}
	case Host:
		host := foldHost(name)
		for more := len(x.hosts.byKey) > 0; more; {
			dst = x.hosts.appendByKey(host, dst)
			_, host, more = strings.Cut(host, ".")
		}
	case Path:
		for !s.Tree && len(x.paths.byKey) > 0 && name != "" {
			end := 0
			for end < len(name) && name[end] != '/' && name[end] != '\\' {
				end++
			}
			dst = x.paths.appendByKey(pathKey(name[:end]), dst)
			name = name[min(end+1, len(name)):]
		}
	}
	return dst
}

func (d *bucket) appendByKey(key string, dst []int32) []int32 {
	if key == "" || d.keySizes&sizeOf(key) == 0 && ascii(key) {
		return dst
	}
	return append(dst, d.byKey[hashOf(key)]...)
}

// sizeOf returns the bit of a key in bucket.keySizes.
func sizeOf(key string) uint64 { return 1 << min(len(key), 63) }

// key returns the first words of the lines that r matches, without stars and two at most,
// or "" if they have no such words.
func (r *lineRule) key() string {
	if r.plain != nil {
		return "" // its words may be written in two ways
	}
	first, second := firstWords(r.covers.text)
	touched, same := firstWords(r.touches.text)
	switch {
	case strings.Contains(first, "*") || touched != first && !r.ignoreCase:
		return ""
	case second == "" || strings.Contains(second, "*") || same != second || r.ignoreCase:
		return first
	}
	return first + " " + second
}

func firstWords(line string) (first, second string) {
	first, line = cutWord(line)
	second, _ = cutWord(line)
	return first, second
}

// cutWord returns the first word of line and the rest.
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

// key returns a name that every path has that p matches, or "". It is the last such name,
// since the first ones are those of common directories.
func (p *pathRule) key() string {
	if p.windowsDiffers {
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

// placeKeys returns the keys of the last names of places.
func placeKeys(places []string) []string {
	keys := make([]string, len(places))
	for i, p := range places {
		keys[i] = ruleKey(p[strings.LastIndexByte(p, '/')+1:])
	}
	return keys
}

// ruleKey returns the key of a rule with this name, or "". A backslash is a separator on
// Windows only, and a drive has several spellings, so names with a backslash or of one
// character have no key.
func ruleKey(name string) string {
	if len(name) < 2 || strings.Contains(name, `\`) {
		return ""
	}
	return pathKey(name)
}

// pathKey returns name without the parts that one of the platforms ignores.
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

// hashOf returns the FNV-1a hash of key in the widest folding. Different keys with the same
// hash only cause more candidates.
func hashOf(key string) uint64 {
	return continueHash(14695981039346656037, key)
}

// continueHash returns the hash of a key that continues with text, from the hash of the part
// before.
func continueHash(h uint64, text string) uint64 {
	before := h
	for i := 0; i < len(text); i++ {
		c := text[i]
		if c >= utf8.RuneSelf {
			return continueHashFolded(before, foldMarks.fold(text))
		}
		h = (h ^ uint64(lowerASCII(c))) * fnvPrime
	}
	return h
}

func continueHashFolded(h uint64, folded string) uint64 {
	for i := 0; i < len(folded); i++ {
		h = (h ^ uint64(lowerASCII(folded[i]))) * fnvPrime
	}
	return h
}

// fnvPrime is the multiplier of FNV-1a.
const fnvPrime = 1099511628211

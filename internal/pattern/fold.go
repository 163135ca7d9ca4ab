package pattern

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// A folding defines which spellings of a name are the same name.
type folding int

// The foldings. Each treats more names as equal than the one before. Allow rules use the
// narrowest that fits the platform, deny and ask rules the widest.
const (
	foldNone  folding = iota
	foldASCII         // A equals a
	foldCase          // É equals é, and K (the Kelvin sign) equals k
	foldMarks         // é equals e, ß equals ss, and invisible characters are ignored
)

// fold returns the common form of all spellings of s. It does not allocate if s already has
// that form, as lower-case ASCII always does.
func (f folding) fold(s string) string {
	if f == foldNone {
		return s
	}
	upper := false
	for i := 0; i < len(s); i++ {
		c := s[i]
		if c >= utf8.RuneSelf && f != foldASCII {
			return foldWide(s, f == foldMarks)
		}
		upper = upper || 'A' <= c && c <= 'Z'
	}
	if !upper {
		return s
	}
	b := []byte(s)
	for i, c := range b {
		b[i] = lowerASCII(c)
	}
	return string(b)
}

func lowerASCII(c byte) byte {
	if 'A' <= c && c <= 'Z' {
		c += 'a' - 'A'
	}
	return c
}

// foldWide folds the case of all letters. With marks it also folds names that the file
// systems of macOS treat as equal: composed and decomposed letters, ligatures and their
// letters, and names with and without invisible characters. An exact test would need
// tables that the standard library does not export, so marks are dropped instead, and e
// equals é. Bytes that are not UTF-8 stay unchanged.
func foldWide(s string, marks bool) string {
	var b strings.Builder
	var last rune // last rune of b
	for i, r := range s {
		switch {
		case r == utf8.RuneError && !strings.HasPrefix(s[i:], string(utf8.RuneError)):
			b.WriteByte(s[i])
			last = 0
			continue
		case !marks:
			b.WriteRune(foldRune(r))
			continue
		case unicode.IsMark(r) || unicode.Is(unicode.Cf, r):
			continue
		}
		if long := ligature(r); long != "" {
			b.WriteString(long)
			last = 0
			continue
		}
		r = baseLetter(r)
		if syllable := joinHangul(last, r); syllable != 0 {
			whole := b.String()
			b.Reset()
			b.WriteString(whole[:len(whole)-utf8.RuneLen(last)])
			r = syllable
		}
		b.WriteRune(r)
		last = r
	}
	return b.String()
}

// foldRune returns the letter that stands for all cases of r: lower-case for ASCII.
func foldRune(r rune) rune {
	least := minCase(r)
	if least < utf8.RuneSelf {
		return rune(lowerASCII(byte(least)))
	}
	return least
}

// minCase returns the case of r with the lowest code point. A mark is not a case of a
// letter, although Unicode defines one that is.
func minCase(r rune) rune {
	least := r
	if unicode.IsMark(r) {
		return r
	}
	for next := unicode.SimpleFold(r); next != r; next = unicode.SimpleFold(next) {
		if next < least && !unicode.IsMark(next) {
			least = next
		}
	}
	return least
}

// baseLetter returns r without case and marks.
func baseLetter(r rune) rune {
	least := minCase(r)
	if least < utf8.RuneSelf {
		return foldRune(least)
	}
	if i := strings.IndexRune(composedLetters, least); i >= 0 {
		word := strings.LastIndexByte(composedLetters[:i], ' ') + 1
		least, _ = utf8.DecodeRuneInString(composedLetters[word:])
	}
	return foldRune(least)
}

// ligature returns the letters that r joins, or "".
func ligature(r rune) string {
	switch r {
	case 'ß', 'ẞ':
		return "ss"
	case 'ﬀ':
		return "ff"
	case 'ﬁ':
		return "fi"
	case 'ﬂ':
		return "fl"
	case 'ﬃ':
		return "ffi"
	case 'ﬄ':
		return "ffl"
	case 'ﬅ', 'ﬆ':
		return "st"
	case 'ŉ':
		return "ʼn"
	}
	return ""
}

// joinHangul returns the syllable that r forms with the syllable or part before it, or 0.
func joinHangul(last, r rune) rune {
	const (
		leads, vowels, tails = 0x1100, 0x1161, 0x11A7 // tail 0 means no tail
		syllables            = 0xAC00
		nLeads, nVowels      = 19, 21
		nTails               = 28
	)
	switch {
	case leads <= last && last < leads+nLeads && vowels <= r && r < vowels+nVowels:
		return syllables + ((last-leads)*nVowels+(r-vowels))*nTails
	case syllables <= last && last < syllables+nLeads*nVowels*nTails && (last-syllables)%nTails == 0 &&
		tails < r && r < tails+nTails:
		return last + (r - tails)
	}
	return 0
}

// composedLetters lists letters that Unicode composes of a base letter and marks. In each
// word, the base letter comes first, in its case with the lowest code point. Hangul
// syllables are computed instead.
const composedLetters = " " +
	";\u037E <\u226E =\u2260 >\u226F AÀÁÂÃÄÅĀĂĄǍǞǠǺȀȂȦḀẠẢẤẦẨẪẬẮẰẲẴẶ BḂḄḆ CÇĆĈĊČḈ DĎḊḌḎḐḒ " +
	"EÈÉÊËĒĔĖĘĚȄȆȨḔḖḘḚḜẸẺẼẾỀỂỄỆ FḞ GĜĞĠĢǦǴḠ HĤȞḢḤḦḨḪẖ IÌÍÎÏĨĪĬĮİǏȈȊḬḮỈỊ JĴǰ KĶǨḰḲḴ LĹĻĽḶḸḺḼ MḾṀṂ " +
	"NÑŃŅŇǸṄṆṈṊ OÒÓÔÕÖŌŎŐƠǑǪǬȌȎȪȬȮȰṌṎṐṒỌỎỐỒỔỖỘỚỜỞỠỢ PṔṖ RŔŖŘȐȒṘṚṜṞ SŚŜŞŠȘṠṢṤṦṨ TŢŤȚṪṬṮṰẗ " +
	"UÙÚÛÜŨŪŬŮŰŲƯǓǕǗǙǛȔȖṲṴṶṸṺỤỦỨỪỬỮỰ VṼṾ WŴẀẂẄẆẈẘ XẊẌ YÝÿŶȲẎẙỲỴỶỸ ZŹŻŽẐẒẔ `\u1FEF " +
	"\u00A8\u0385\u1FC1\u1FED\u1FEE \u00B4\u1FFD \u00B7\u0387 ÆǢǼ ØǾ ƷǮ \u02B9\u0374 " +
	"ΑΆἀἁἂἃἄἅἆἇὰάᾀᾁᾂᾃᾄᾅᾆᾇᾰᾱᾲᾳᾴᾶᾷ ΕΈἐἑἒἓἔἕὲέ ΗΉἠἡἢἣἤἥἦἧὴήᾐᾑᾒᾓᾔᾕᾖᾗῂῃῄῆῇ ΙΊΐΪἰἱἲἳἴἵἶἷὶίῐῑῒΐῖῗ " +
	"ΟΌὀὁὂὃὄὅὸό Ρῤῥ ΥΎΫΰὐὑὒὓὔὕὖὗὺύῠῡῢΰῦῧ ΩΏὠὡὢὣὤὥὦὧὼώᾠᾡᾢᾣᾤᾥᾦᾧῲῳῴῶῷ ϒϓϔ ІЇ АӐӒ ГЃ ЕЀЁӖ ЖӁӜ ЗӞ ИЍЙӢӤ " +
	"КЌ ОӦ УЎӮӰӲ ЧӴ ЫӸ ЭӬ ѴѶ ӘӚ ӨӪ \u05D0\uFB2E\uFB2F\uFB30 \u05D1\uFB31\uFB4C \u05D2\uFB32 " +
	"\u05D3\uFB33 \u05D4\uFB34 \u05D5\uFB35\uFB4B \u05D6\uFB36 \u05D8\uFB38 \u05D9\uFB1D\uFB39 " +
	"\u05DA\uFB3A \u05DB\uFB3B\uFB4D \u05DC\uFB3C \u05DE\uFB3E \u05E0\uFB40 \u05E1\uFB41 " +
	"\u05E3\uFB43 \u05E4\uFB44\uFB4E \u05E6\uFB46 \u05E7\uFB47 \u05E8\uFB48 " +
	"\u05E9\uFB2A\uFB2B\uFB2C\uFB2D\uFB49 \u05EA\uFB4A \u05F2\uFB1F \u0627\u0622\u0623\u0625 " +
	"\u0648\u0624 \u064A\u0626 \u06C1\u06C2 \u06D2\u06D3 \u06D5\u06C0 \u0915\u0958 \u0916\u0959 " +
	"\u0917\u095A \u091C\u095B \u0921\u095C \u0922\u095D \u0928\u0929 \u092B\u095E \u092F\u095F " +
	"\u0930\u0931 \u0933\u0934 \u09A1\u09DC \u09A2\u09DD \u09AF\u09DF \u09C7\u09CB\u09CC " +
	"\u0A16\u0A59 \u0A17\u0A5A \u0A1C\u0A5B \u0A2B\u0A5E \u0A32\u0A33 \u0A38\u0A36 \u0B21\u0B5C " +
	"\u0B22\u0B5D \u0B47\u0B48\u0B4B\u0B4C \u0B92\u0B94 \u0BC6\u0BCA\u0BCC \u0BC7\u0BCB " +
	"\u0D46\u0D4A\u0D4C \u0D47\u0D4B \u0DD9\u0DDA\u0DDC\u0DDD\u0DDE \u0F40\u0F69 \u0F42\u0F43 " +
	"\u0F4C\u0F4D \u0F51\u0F52 \u0F56\u0F57 \u0F5B\u0F5C \u1025\u1026 \u1B05\u1B06 \u1B07\u1B08 " +
	"\u1B09\u1B0A \u1B0B\u1B0C \u1B0D\u1B0E \u1B11\u1B12 \u1B3E\u1B40 \u1B3F\u1B41 ᾿῍῎῏ ῾῝῞῟ " +
	"\u2002\u2000 \u2003\u2001 \u2190\u219A \u2192\u219B \u2194\u21AE \u21D0\u21CD \u21D2\u21CF " +
	"\u21D4\u21CE \u2203\u2204 \u2208\u2209 \u220B\u220C \u2223\u2224 \u2225\u2226 \u223C\u2241 " +
	"\u2243\u2244 \u2245\u2247 \u2248\u2249 \u224D\u226D \u2261\u2262 \u2264\u2270 \u2265\u2271 " +
	"\u2272\u2274 \u2273\u2275 \u2276\u2278 \u2277\u2279 \u227A\u2280 \u227B\u2281 \u227C\u22E0 " +
	"\u227D\u22E1 \u2282\u2284 \u2283\u2285 \u2286\u2288 \u2287\u2289 \u2291\u22E2 \u2292\u22E3 " +
	"\u22A2\u22AC \u22A8\u22AD \u22A9\u22AE \u22AB\u22AF \u22B2\u22EA \u22B3\u22EB \u22B4\u22EC " +
	"\u22B5\u22ED \u2ADD\u2ADC \u3008\u2329 \u3009\u232A うゔ かが きぎ くぐ けげ こご さざ しじ すず せぜ そぞ ただ ちぢ つづ " +
	"てで とど はばぱ ひびぴ ふぶぷ へべぺ ほぼぽ ゝゞ ウヴ カガ キギ クグ ケゲ コゴ サザ シジ スズ セゼ ソゾ タダ チヂ ツヅ テデ トド ハバパ ヒビピ フブプ ヘベペ " +
	"ホボポ ワヷ ヰヸ ヱヹ ヲヺ ヽヾ \U00011099\U0001109A \U0001109B\U0001109C \U000110A5\U000110AB " +
	"\U00011347\U0001134B\U0001134C \U000114B9\U000114BB\U000114BC\U000114BE \U000115B8\U000115BA " +
	"\U000115B9\U000115BB \U00011935\U00011938 "

package code

import (
	"bufio"
	"io"
	"os"
	"strings"

	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/transform"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/realpath"
)

// maxFile limits the bytes of a file in which lines are looked for.
const maxFile = 16 << 20

// readLines fills wanted, by number from 1, with lines of the file at the path real, which
// has no links. Lines that are not there stay empty.
func readLines(real string, wanted map[int]string) {
	file, err := realpath.Open(real)
	if err != nil {
		return
	}
	defer func() { _ = file.Close() }() // nothing was written
	left := len(wanted)
	text := bufio.NewReader(decoded(file))
	for number := 1; left > 0; number++ {
		line, err := text.ReadString('\n')
		if _, ok := wanted[number]; ok {
			wanted[number] = pegboard.OneLine(strings.TrimRight(line, "\r\n"))
			left--
		}
		if err != nil {
			return
		}
	}
}

// decoded returns the text of a file that is UTF-8, or UTF-16 with a byte order mark.
func decoded(file *os.File) io.Reader {
	return transform.NewReader(io.LimitReader(file, maxFile), unicode.BOMOverride(unicode.UTF8.NewDecoder()))
}

package webtext

import (
	"strconv"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// grid counts the content of a table.
type grid struct {
	cells int   // without those that are spanned
	rows  []int // cells in each row
	wide  []int // cells in each row, with those that its cells span in it
	tall  []tallCell
}

// tallCell is a cell that spans rows.
type tallCell struct {
	cell                *html.Node
	row, width, spanned int
}

// fits reports whether a table can be one in Markdown, and limits the spans of its cells. Tables
// that lay out a page hold headings, lists or other tables, or have a single cell. Markdown fills
// each row up to the length of the longest, which must not make the table much larger.
func fits(n *html.Node) bool {
	if attribute(n, "role") == "presentation" || isInline(n.Parent) {
		return false
	}
	var g grid
	if !g.count(n) || g.cells < 2 {
		return false
	}
	limit := 4*g.cells + 10_000
	if len(g.rows)*g.width() <= limit {
		return true
	}
	longest := 0
	for _, cells := range g.rows {
		longest = max(longest, cells)
	}
	withoutSpans(n)
	return len(g.rows)*longest <= limit
}

// isInline reports whether n or an element around it can hold no table in Markdown.
func isInline(n *html.Node) bool {
	for ; n != nil; n = n.Parent {
		switch n.DataAtom {
		case atom.A, atom.B, atom.Strong, atom.Em, atom.I, atom.Del, atom.S, atom.Strike:
			return true
		}
	}
	return false
}

// count counts the rows and cells in n, and reports whether everything in n can stand in a table.
func (g *grid) count(n *html.Node) bool {
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		switch c.DataAtom {
		case atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6, atom.Table, atom.Hr, atom.Ul, atom.Ol, atom.Blockquote, atom.Pre:
			return false
		case atom.Tr:
			g.rows, g.wide = append(g.rows, 0), append(g.wide, 0)
		case atom.Td, atom.Th:
			g.add(c)
		}
		if !g.count(c) {
			return false
		}
	}
	return true
}

// add counts a cell of the last row.
func (g *grid) add(cell *html.Node) {
	last := len(g.rows) - 1
	if last < 0 {
		return
	}
	width := span(cell, "colspan")
	g.cells++
	g.rows[last]++
	g.wide[last] += width
	if height := span(cell, "rowspan"); height > 1 {
		g.tall = append(g.tall, tallCell{cell: cell, row: last, width: width, spanned: height - 1})
	}
}

// width returns the cells of the longest row, with those that cells of other rows span in it. Cells
// that span more rows than there are below them are limited to those.
func (g *grid) width() int {
	change := make([]int, len(g.rows)+1)
	for _, c := range g.tall {
		if below := len(g.rows) - 1 - c.row; c.spanned > below {
			c.spanned = below
			for i, a := range c.cell.Attr {
				if a.Key == "rowspan" {
					c.cell.Attr[i].Val = strconv.Itoa(1 + below)
				}
			}
		}
		change[c.row+1] += c.width
		change[min(c.row+1+c.spanned, len(g.rows))] -= c.width
	}
	longest, spanned := 0, 0
	for i, cells := range g.wide {
		spanned += change[i]
		longest = max(longest, cells+spanned)
	}
	return longest
}

// span returns how many rows or columns a cell has, at most 1,000 as in browsers.
func span(n *html.Node, key string) int {
	number, err := strconv.Atoi(attribute(n, key))
	if err != nil || number < 1 {
		return 1
	}
	for i, a := range n.Attr {
		if a.Key == key && number > 1000 {
			n.Attr[i].Val = "1000"
		}
	}
	return min(number, 1000)
}

func withoutSpans(n *html.Node) {
	for d := range n.Descendants() {
		if d.DataAtom == atom.Td || d.DataAtom == atom.Th {
			d.Attr = nil
		}
	}
}

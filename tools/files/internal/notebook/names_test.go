package notebook_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard/internal/effort"
	"github.com/seed49eaa51d/pegboard/tools/files/internal/notebook"
)

func TestNamesAfterAnotherProgramChangedTheNotebook(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, before, after string // cells as source or id=source, by blanks
		want                string // names
	}{
		{name: "nothing", before: "a b c", after: "a b c", want: "cell-0 cell-1 cell-2"},
		{name: "inserted", before: "a b c", after: "x a b y c", want: "cell-3 cell-0 cell-1 cell-4 cell-2"},
		{name: "deleted", before: "a b c", after: "b c", want: "cell-1 cell-2"},
		{name: "deleted between equal cells", before: "a a a b", after: "a a b", want: "cell-0 cell-1 cell-3"},
		{name: "one cell changed", before: "a b c", after: "a x c", want: "cell-0 cell-1 cell-2"},
		{name: "two cells changed", before: "a b c d", after: "a x y d", want: "cell-0 cell-4 cell-5 cell-3"},
		{name: "one changed, one added", before: "a b c", after: "a x y c", want: "cell-0 cell-3 cell-4 cell-2"},
		{name: "moved", before: "a b c d", after: "d b c a", want: "cell-3 cell-1 cell-2 cell-0"},
		{name: "equal cells moved", before: "a b x b c", after: "b a b c x", want: "cell-5 cell-0 cell-6 cell-4 cell-2"},
		{name: "all gone", before: "a b", after: "", want: ""},
		{name: "ids came", before: "a b", after: "i=a j=b", want: "i j"},
		{name: "an id that looks made up", before: "a b", after: "cell-1=a b", want: "cell-1 cell-2"},
		{name: "ids went", before: "i=a j=b", after: "a b", want: "cell-2 cell-3"},
		{name: "ids of two cells became one", before: "i=a j=b", after: "i=a i=b", want: "cell-2 cell-3"},
		{name: "ids stayed", before: "i=a b", after: "b i=a", want: "cell-1 i"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			n, err := notebook.ParseAs([]byte(with(rawCells(tt.after))), parse(t, with(rawCells(tt.before))).Names())
			require.NoError(t, err)
			require.Equal(t, strings.Fields(tt.want), namesOf(n))
		})
	}
}

func TestNamesOfCellsWithEqualIDs(t *testing.T) {
	t.Parallel()
	n := parse(t, with(rawCells("i=a i=b cell-4=c d e f")))
	require.Equal(t, []string{"cell-0", "cell-1", "cell-4", "cell-3", "cell-6", "cell-5"}, namesOf(n))
	edit, err := n.Replace("cell-1", "x", "")
	require.NoError(t, err)
	require.Contains(t, string(edit.Data), `"id": "i", "source": "x"`)
	require.Equal(t, "cell-1", edit.Cell.ID)
}

func TestNamesThatAreGone(t *testing.T) {
	t.Parallel()
	n := parse(t, with(rawCells("a b=b c")))
	for _, name := range []string{"cell-2", "b"} {
		edit, err := n.Delete(name)
		require.NoError(t, err)
		n, err = notebook.ParseAs(edit.Data, edit.Names)
		require.NoError(t, err)
		_, err = n.Replace(name, "x", "")
		require.EqualError(t, err, fmt.Sprintf("the cell %q is not there any more (the notebook has %d); read the notebook again", name, len(n.Cells())))
	}
}

// TestNamesStay makes random edits by names that cells had at any time. Each edit is about
// the cell that had the name, whatever was inserted and deleted meanwhile by edits and by
// another program, or fails if the cell is gone.
func TestNamesStay(t *testing.T) {
	t.Parallel()
	for seed := range effort.Of(t, uint64(500)) {
		r := rand.New(rand.NewPCG(seed, 2))
		words := ""
		for i := range r.IntN(6) {
			words += fmt.Sprintf(" s%d", i%4)
		}
		n := parse(t, fmt.Sprintf(`{"nbformat": 4, "nbformat_minor": %d, "cells": [%s]}`, 4+r.IntN(2), rawCells(words)))
		want := strings.Fields(words)
		names := namesOf(n)
		ever := slices.Clone(names)
		for step := range 15 {
			text := fmt.Sprintf("new%d", step)
			if r.IntN(4) == 0 {
				place := r.IntN(len(want) + 1)
				after, err := notebook.ParseAs(withCell(t, n, place, text), n.Names())
				require.NoError(t, err)
				n = after
				added := namesOf(n)[place]
				require.NotContains(t, ever, added, "seed %d", seed)
				names, want, ever = slices.Insert(names, place, added), slices.Insert(want, place, text), append(ever, added)
			}
			name := ""
			if len(ever) > 0 {
				name = ever[r.IntN(len(ever))]
			}
			place := slices.Index(names, name)
			edit, err := []editing{replace(name, text, ""), insert(name, "raw", text), remove(name)}[step%3](n)
			if place < 0 && (step%3 != 1 || name != "") {
				require.Error(t, err, "seed %d: %s", seed, name)
				continue
			}
			require.NoError(t, err, "seed %d: %s", seed, name)
			switch step % 3 {
			case 0:
				want[place] = text
			case 1:
				require.NotContains(t, ever, edit.Cell.ID, "seed %d", seed)
				names, want, ever = slices.Insert(names, place+1, edit.Cell.ID), slices.Insert(want, place+1, text), append(ever, edit.Cell.ID)
			case 2:
				names, want = slices.Delete(names, place, place+1), slices.Delete(want, place, place+1)
			}
			n, err = notebook.ParseAs(edit.Data, edit.Names)
			require.NoError(t, err)
			require.Equal(t, names, namesOf(n), "seed %d", seed)
			require.Equal(t, want, sourcesOf(n), "seed %d", seed)
		}
	}
}

// withCell returns the bytes of n with another cell, as another program writes it.
func withCell(t *testing.T, n *notebook.Notebook, place int, text string) []byte {
	t.Helper()
	var words []string
	for _, c := range n.Cells() {
		if strings.HasPrefix(c.ID, "cell-") {
			words = append(words, c.Source)
		} else {
			words = append(words, c.ID+"="+c.Source)
		}
	}
	return []byte(with(rawCells(strings.Join(slices.Insert(words, place, text), " "))))
}

func sourcesOf(n *notebook.Notebook) []string {
	sources := []string{}
	for _, c := range n.Cells() {
		sources = append(sources, c.Source)
	}
	return sources
}

func namesOf(n *notebook.Notebook) []string {
	names := []string{}
	for _, c := range n.Cells() {
		names = append(names, c.ID)
	}
	return names
}

// rawCells returns cells as JSON from words of the form source or id=source.
func rawCells(words string) string {
	var cells []string
	for _, word := range strings.Fields(words) {
		id, source, has := strings.Cut(word, "=")
		if !has {
			cells = append(cells, fmt.Sprintf(`{"cell_type": "raw", "source": %q}`, id))
			continue
		}
		cells = append(cells, fmt.Sprintf(`{"cell_type": "raw", "id": %q, "source": %q}`, id, source))
	}
	return strings.Join(cells, ", ")
}

package tooltest

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/seed49eaa51d/pegboard"
)

// A rankerExam is one check of a ranker.
type rankerExam struct {
	verdict
	ranker       pegboard.Ranker
	pool, noPool *pegboard.Pool
}

// rankedTools are the tools of the pool, by server: name and description.
var rankedTools = map[string][][2]string{
	"calendar": {
		{"create_event", "Creates an event in a calendar."}, {"delete_event", "Deletes an event from a calendar."},
		{"list_birthdays", "Lists the birthdays of a month."}, {"find_free_slot", "Finds a time at which several people are free."},
		{"set_reminder", "Sets a reminder before an appointment."}, {"export_ics", "Exports a calendar as a file."},
		{"share_calendar", "Shares a calendar with another person."}, {"book_room", "Books a meeting room."},
	},
	"warehouse": {
		{"count_pallets", "Counts the pallets in a hall."}, {"move_pallet", "Moves a pallet to another shelf."},
		{"print_label", "Prints a label for a parcel."}, {"track_parcel", "Tracks a parcel on its way."},
		{"weigh_parcel", "Weighs a parcel."}, {"order_cartons", "Orders empty cartons."},
		{"scan_barcode", "Scans a barcode."}, {"schedule_truck", "Schedules a truck for a ramp."},
	},
	"photos": {
		{"rotate_picture", "Rotates a picture."}, {"crop_picture", "Crops a picture."},
		{"detect_faces", "Detects faces in a picture."}, {"make_album", "Makes an album of pictures."},
		{"remove_background", "Removes the background of a picture."}, {"convert_raw", "Converts raw pictures of a camera."},
		{"tag_location", "Tags a picture with a location."}, {"print_poster", "Prints a poster of a picture."},
	},
}

// prepare assembles the pools.
func (x *rankerExam) prepare(s *pegboard.Session) error {
	var full, none pegboard.Registry
	for server, list := range rankedTools {
		var tools []pegboard.Tool
		for _, t := range list {
			tools = append(tools, FakeConfig{Name: t[0], Description: t[1]}.New())
		}
		if _, err := full.Attach(server, tools...); err != nil {
			return err
		}
	}
	if err := full.Add(FakeConfig{Name: "Picture", Description: "Shows a picture. It is not deferred."}.New(), pegboard.ToolSearch(pegboard.SearchOptions{})); err != nil {
		return err
	}
	config := pegboard.PoolConfig{Gates: openGates(), Roles: openTables()}
	x.pool, x.noPool = full.AssemblePool(s, config), none.AssemblePool(s, config)
	if got := len(x.pool.Deferred()); got != 24 {
		return fmt.Errorf("the pool of CheckRanker has %d deferred tools", got)
	}
	return nil
}

func (x *rankerExam) check() {
	for _, step := range []func(){x.checkFinds, x.checkLimit, x.checkAccept, x.checkIrrelevant, x.checkSame, x.checkOdd, x.checkEnds} {
		if !x.stuck {
			step()
		}
	}
}

// rank searches, and examines the matches of every search.
func (x *rankerExam) rank(words string, limit int, accept func(string) bool) ([]pegboard.SearchMatch, bool) {
	var found []pegboard.SearchMatch
	var err error
	if !x.runStage("Rank", shorten(words), func() { found, err = x.ranker.Rank(context.Background(), x.pool, words, limit, accept) }) {
		return nil, false
	}
	if err != nil {
		x.addViolation(ruleRankerFinds, words, "Rank failed: %v", err)
		return nil, false
	}
	if len(found) > limit {
		x.addViolation(ruleRankerLimit, words, "there are %d matches, and the limit is %d", len(found), limit)
	}
	seen, deferred := map[string]bool{}, x.pool.Deferred()
	for i, m := range found {
		switch {
		case math.IsNaN(m.Score) || i > 0 && m.Score > found[i-1].Score:
			x.addViolation(ruleRankerOrder, words, "match %d has the score %v, %q", i+1, m.Score, m.Name)
		case !slices.Contains(deferred, m.Name):
			x.addViolation(ruleRankerNames, words, "%q is no deferred tool of the pool", m.Name)
		case seen[m.Name]:
			x.addViolation(ruleRankerNames, words, "%q is there twice", m.Name)
		case accept != nil && !accept(m.Name):
			x.addViolation(ruleRankerAccept, words, "accept refuses %q", m.Name)
		}
		seen[m.Name] = true
	}
	return found, true
}

// position returns the place of a tool in matches, from 1 on, or 0.
func position(found []pegboard.SearchMatch, tool string) int {
	return 1 + slices.IndexFunc(found, func(m pegboard.SearchMatch) bool { return strings.HasSuffix(m.Name, "__"+tool) })
}

// plainSearches are words, and the tool that has them.
var plainSearches = map[string]string{
	"birthdays": "list_birthdays", "book a meeting room": "book_room", "weigh parcel": "weigh_parcel",
	"barcode": "scan_barcode", "detect faces": "detect_faces", "remove the background of a picture": "remove_background",
}

func (x *rankerExam) checkFinds() {
	for words, tool := range plainSearches {
		found, ok := x.rank(words, 10, nil)
		if !ok {
			return
		}
		if place := position(found, tool); place == 0 || place > 3 {
			x.addViolation(ruleRankerFinds, words, "%s is not among the first three of %v", tool, found)
		}
	}
}

func (x *rankerExam) checkLimit() {
	for _, limit := range []int{0, 1, 2, 5} {
		found, ok := x.rank("picture", limit, nil)
		if !ok {
			return
		}
		if len(found) == 0 && limit > 0 {
			x.addViolation(ruleRankerLimit, "picture", "the limit is %d, and there is no match", limit)
		}
	}
}

func (x *rankerExam) checkAccept() {
	all, ok := x.rank("picture", 10, nil)
	if !ok || len(all) < 3 {
		return // checkFinds has a violation
	}
	last := all[len(all)-1].Name
	accept := func(name string) bool { return name == last }
	found, ok := x.rank("picture", 1, accept)
	if ok && (len(found) != 1 || found[0].Name != last) {
		x.addViolation(ruleRankerAccept, "picture", "accept allows only %q, and the matches are %v", last, found)
	}
	x.rank("picture", 10, func(string) bool { return false })
}

func (x *rankerExam) checkIrrelevant() {
	for _, words := range []string{"zzyqx", "qqvvx wkjzz"} {
		if found, ok := x.rank(words, 5, nil); ok && len(found) > 0 {
			x.addViolation(ruleRankerIrrelevant, words, "the matches are %v", found)
		}
	}
}

func (x *rankerExam) checkSame() {
	want, ok := x.rank("print picture", 10, nil)
	if !ok {
		return
	}
	const crowd = 8
	found, fs := make([][]pegboard.SearchMatch, crowd), make([]func(), crowd)
	for i := range fs {
		fs[i] = func() { // an error gives other matches
			found[i], _ = x.ranker.Rank(context.Background(), x.pool, "print picture", 10, nil)
		}
	}
	if !x.runAll(ruleRankerOdd, "Rank by several goroutines", "print picture", fs...) {
		return
	}
	for _, got := range found {
		if fmt.Sprint(got) != fmt.Sprint(want) { // equal, even if a score is no number
			x.addViolation(ruleRankerSame, "print picture", "they were %v, and then %v", want, got)
			return
		}
	}
}

func (x *rankerExam) checkOdd() {
	for _, words := range []string{"", " \t\n", strings.Repeat("picture ", 1<<17), strings.Repeat("x", 1<<20), "\xff\xfe picture", "\x00", `"'%_*()[]{}\`} {
		for _, p := range []*pegboard.Pool{x.pool, x.noPool} {
			if !x.runStage("Rank", fmt.Sprintf("%.40q", words), func() { _, _ = x.ranker.Rank(context.Background(), p, words, 5, nil) }) { // it may fail
				return
			}
		}
	}
}

func (x *rankerExam) checkEnds() {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	x.runAll(ruleRankerEnds, "Rank, whose context had ended,", "picture", func() {
		_, _ = x.ranker.Rank(ctx, x.pool, "picture", 5, nil) // it may fail
	})
}

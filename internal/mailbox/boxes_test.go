package mailbox_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard/internal/effort"
	"github.com/seed49eaa51d/pegboard/internal/mailbox"
)

func TestPutRefuses(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, box, message string
		want               error
	}{
		{name: "a parent directory", box: "..", message: `1`, want: mailbox.ErrBadName},
		{name: "a path", box: "a/b", message: `1`, want: mailbox.ErrBadName},
		{name: "a path of Windows", box: `a\b`, message: `1`, want: mailbox.ErrBadName},
		{name: "a volume", box: "c:", message: `1`, want: mailbox.ErrBadName},
		{name: "a hidden file", box: ".a", message: `1`, want: mailbox.ErrBadName},
		{name: "nothing", box: "", message: `1`, want: mailbox.ErrBadName},
		{name: "upper case, which some systems ignore", box: "Main", message: `1`, want: mailbox.ErrBadName},
		{name: "a device", box: "com1", message: `1`, want: mailbox.ErrBadName},
		{name: "a long name", box: strings.Repeat("a", 65), message: `1`, want: mailbox.ErrBadName},
		{name: "a NUL", box: "a\x00", message: `1`, want: mailbox.ErrBadName},
		{name: "a line", box: "a\n", message: `1`, want: mailbox.ErrBadName},
		{name: "no JSON", box: "a", message: `{`, want: mailbox.ErrNotJSON},
		{name: "no message", box: "a", message: ``, want: mailbox.ErrNotJSON},
		{name: "as long as may be", box: strings.Repeat("a", 64), message: `"` + strings.Repeat("m", mailbox.MaxMessage-2) + `"`},
		{name: "longer", box: "a", message: `"` + strings.Repeat("m", mailbox.MaxMessage-1) + `"`, want: mailbox.ErrTooLong},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			for kind, open := range kinds {
				t.Run(kind, func(t *testing.T) {
					t.Parallel()
					b := open(t)
					err := b.Put(tc.box, json.RawMessage(tc.message))
					require.ErrorIs(t, err, tc.want)
					require.Equal(t, tc.want == nil, b.Has(tc.box))
					messages, problems := b.Take(tc.box, all)
					require.Empty(t, problems)
					require.Len(t, messages, map[bool]int{tc.want == nil: 1}[true])
				})
			}
		})
	}
}

// TestOrder: messages come in their order, once, and those that were given back come first.
func TestOrder(t *testing.T) {
	t.Parallel()
	for kind, open := range kinds {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			b := open(t)
			require.Empty(t, take(t, b, "ann"))
			require.False(t, b.Has("ann"))
			for i := range 3 {
				require.NoError(t, b.Put("ann", json.RawMessage(fmt.Sprint(i))))
				require.NoError(t, b.Put("bob", json.RawMessage(fmt.Sprint(10+i))))
			}
			messages, problems := b.Take("ann", 1)
			require.Empty(t, problems)
			require.Len(t, messages, 1)
			messages, _ = b.Take("bob", 5)
			require.Len(t, messages, 2, "as many as have 5 bytes together")
			messages, _ = b.Take("bob", 0)
			require.Len(t, messages, 1, "at least one")
			require.True(t, b.Has("ann"))
			require.Equal(t, []string{"1", "2"}, take(t, b, "ann"))
			require.False(t, b.Has("ann"))
			require.NoError(t, b.Put("ann", json.RawMessage("3")))
			require.NoError(t, b.GiveBack("ann"))
			require.Equal(t, []string{"0", "1", "2", "3"}, take(t, b, "ann"))
			require.NoError(t, b.Confirm("ann"))
			require.NoError(t, b.GiveBack("ann"))
			require.Empty(t, take(t, b, "ann"), "they were confirmed")
		})
	}
}

// TestMessagesAreCopies of what was put, and of what is kept.
func TestMessagesAreCopies(t *testing.T) {
	t.Parallel()
	for kind, open := range kinds {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			b := open(t)
			message := json.RawMessage("123")
			require.NoError(t, b.Put("ann", message))
			message[0] = '9'
			taken, _ := b.Take("ann", all)
			require.Equal(t, "123", string(taken[0]))
			taken[0][0] = '9'
			require.NoError(t, b.GiveBack("ann"))
			require.Equal(t, []string{"123"}, take(t, b, "ann"))
		})
	}
}

// TestMemoryIsBounded for a mailbox that nobody empties.
func TestMemoryIsBounded(t *testing.T) {
	t.Parallel()
	b := mailbox.New()
	message := json.RawMessage(`"` + strings.Repeat("m", 1<<20-2) + `"`)
	for range 64 {
		require.NoError(t, b.Put("ann", message))
	}
	require.ErrorIs(t, b.Put("ann", message), mailbox.ErrFull)
	require.NoError(t, b.Put("bob", message))
	require.Len(t, take(t, b, "ann"), 64)
	require.ErrorIs(t, b.Put("ann", message), mailbox.ErrFull, "they may come back")
	require.NoError(t, b.Confirm("ann"))
	require.NoError(t, b.Put("ann", message))
}

// TestWaitersAreWoken at once, and by Close.
func TestWaitersAreWoken(t *testing.T) {
	t.Parallel()
	for _, kind := range []string{"memory", "directory"} {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			synctest.Test(t, func(t *testing.T) {
				b := mailbox.New()
				if kind == "directory" {
					b = openDir(t, dir)
				}
				begin := time.Now()
				for _, box := range []string{"ann", "bob"} {
					var waiting sync.WaitGroup
					for range 3 {
						arrival := b.Arrival(box)
						require.Equal(t, arrival, b.Arrival(box))
						waiting.Go(func() { <-arrival })
					}
					time.AfterFunc(time.Second, func() { _ = b.Put(box, json.RawMessage("1")) })
					waiting.Wait()
					require.True(t, b.Has(box))
				}
				require.Equal(t, 2*time.Second, time.Since(begin))
				arrival := b.Arrival("ann")
				require.NoError(t, b.GiveBack("ann"))
				<-arrival // it has a message, though none that was given back
				arrival = b.Arrival("ann")
				time.AfterFunc(time.Second, func() { _ = b.Close() })
				<-arrival
				<-b.Arrival("ann")
				require.ErrorIs(t, b.Put("ann", json.RawMessage("1")), mailbox.ErrClosed)
				require.Empty(t, take(t, b, "bob"))
				require.False(t, b.Has("bob"))
				require.NoError(t, b.Confirm("bob"))
				require.NoError(t, b.GiveBack("bob"))
				require.NoError(t, b.Close())
			})
		})
	}
}

// TestReopened: what was not confirmed is there again, and numbers go on.
func TestReopened(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "new", "boxes")
	first, err := mailbox.Open(dir, nil)
	require.NoError(t, err)
	for i := range 3 {
		require.NoError(t, first.Put("ann", json.RawMessage(fmt.Sprint(i))))
	}
	messages, _ := first.Take("ann", 1)
	require.Len(t, messages, 1)
	require.NoError(t, first.Confirm("ann"))
	messages, _ = first.Take("ann", 1)
	require.Len(t, messages, 1)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "ann", ".x.tmp"), nil, 0o600))
	second := openDir(t, dir) // as if the first had been killed
	require.Equal(t, []string{"1", "2"}, take(t, second, "ann"))
	require.NoError(t, second.Confirm("ann"))
	require.Empty(t, filesOf(t, dir))
	require.NoError(t, first.Close())
	require.Empty(t, take(t, openDir(t, dir), "ann"))
	if runtime.GOOS != "windows" { // where modes say nothing of that
		for _, path := range []string{dir, filepath.Join(dir, "ann")} {
			info, err := os.Stat(path)
			require.NoError(t, err)
			require.Equal(t, os.FileMode(0o700), info.Mode().Perm(), path)
		}
	}
}

// TestClockSetBack: the order is that of the messages, not that of the clock.
func TestClockSetBack(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	late := filepath.Join(dir, "ann", fmt.Sprintf("%020d-aaaaaaaa.msg", time.Now().Add(time.Hour).UnixNano()))
	require.NoError(t, os.MkdirAll(filepath.Dir(late), 0o700))
	require.NoError(t, os.WriteFile(late, []byte("1"), 0o600))
	b := openDir(t, dir)
	require.NoError(t, b.Put("ann", json.RawMessage("2")))
	require.NoError(t, b.Put("ann", json.RawMessage("3")))
	require.Equal(t, []string{"1", "2", "3"}, take(t, b, "ann"))
}

// TestBadFiles are set aside and told once; the rest goes on.
func TestBadFiles(t *testing.T) {
	t.Parallel()
	write := func(data string) func(string) error {
		return func(path string) error { return os.WriteFile(path, []byte(data), 0o600) }
	}
	tests := []struct {
		name string
		make func(path string) error
		says string
	}{
		{name: "cut short", make: write(`{"From":`), says: "not JSON"},
		{name: "empty", make: write(``), says: "not JSON"},
		{name: "too long", make: write(strings.Repeat("1", mailbox.MaxMessage+1)), says: "more than the limit"},
		{name: "a directory", make: func(path string) error { return os.Mkdir(path, 0o700) }, says: "directory"},
		{name: "a link", make: func(path string) error { return os.Symlink(filepath.Join(filepath.Dir(path), "..", "secret"), path) }, says: "link"},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			require.NoError(t, os.WriteFile(filepath.Join(dir, "secret"), []byte("7"), 0o600))
			b := openDir(t, dir)
			require.NoError(t, b.Put("ann", json.RawMessage("1")))
			bad := filepath.Join(dir, "ann", fmt.Sprintf("%020d-bad.msg", 7))
			require.NoError(t, tc.make(bad))
			require.NoError(t, b.Put("ann", json.RawMessage("2")))
			messages, problems := b.Take("ann", all)
			require.Len(t, messages, 2)
			require.Len(t, problems, 1)
			require.ErrorContains(t, problems[0], tc.says)
			aside := strings.TrimSuffix(bad, ".msg") + ".corrupt"
			require.Equal(t, aside, problems[0].Path)
			_, err := os.Lstat(aside)
			require.NoError(t, err)
			require.Empty(t, take(t, b, "ann"), "it is told once")
			require.NoError(t, b.Confirm("ann"))
			require.Empty(t, take(t, openDir(t, dir), "ann"))
		})
	}
}

// TestMailboxIsNoWayOut: a mailbox that is a link to elsewhere takes and gives nothing.
func TestMailboxIsNoWayOut(t *testing.T) {
	t.Parallel()
	dir, outside := t.TempDir(), t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(outside, "1-a.msg"), []byte("1"), 0o600))
	b := openDir(t, dir)
	require.NoError(t, os.Symlink(outside, filepath.Join(dir, "ann")))
	require.Error(t, b.Put("ann", json.RawMessage("2")))
	messages, problems := b.Take("ann", all)
	require.Empty(t, messages)
	require.Len(t, problems, 1)
	require.Equal(t, []string{"1-a.msg"}, filesOf(t, outside))
}

func TestOpenRefuses(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "file")
	require.NoError(t, os.WriteFile(file, nil, 0o600))
	for _, dir := range []string{"relative", "", file} {
		_, err := mailbox.Open(dir, nil)
		require.Error(t, err, dir)
	}
}

// TestRandomSendersAndTakers compares mailboxes with a list, while random senders put and random
// takers take, confirm and give back.
func TestRandomSendersAndTakers(t *testing.T) {
	t.Parallel()
	for seed := range effort.Of(t, uint64(200)) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			for kind, open := range kinds {
				t.Run(kind, func(t *testing.T) {
					t.Parallel()
					b := open(t)
					playModel(t, b, rand.New(rand.NewPCG(seed, 0)))
				})
			}
		})
	}
}

// playModel plays random steps one after the other, with an oracle.
func playModel(t *testing.T, b *mailbox.Boxes, r *rand.Rand) {
	t.Helper()
	waiting, taken := map[string][]string{}, map[string][]string{}
	for i := range 120 {
		box := string(rune('a' + r.IntN(3)))
		switch r.IntN(6) {
		case 0, 1, 2:
			require.NoError(t, b.Put(box, json.RawMessage(fmt.Sprint(i))))
			waiting[box] = append(waiting[box], fmt.Sprint(i))
		case 3:
			limit := r.IntN(12)
			messages, problems := b.Take(box, limit)
			require.Empty(t, problems)
			n := 0
			for size := 0; n < len(waiting[box]) && (n == 0 || size+len(waiting[box][n]) <= limit); n++ {
				size += len(waiting[box][n])
			}
			require.Equal(t, strings.Join(waiting[box][:n], " "), string(bytes.Join(rawBytes(messages), []byte(" "))))
			taken[box], waiting[box] = append(taken[box], waiting[box][:n]...), waiting[box][n:]
		case 4:
			require.NoError(t, b.Confirm(box))
			taken[box] = nil
		case 5:
			require.NoError(t, b.GiveBack(box))
			waiting[box], taken[box] = append(taken[box], waiting[box]...), nil
		}
		require.Equal(t, len(waiting[box]) > 0, b.Has(box))
	}
}

func rawBytes(messages []json.RawMessage) (all [][]byte) {
	for _, m := range messages {
		all = append(all, m)
	}
	return all
}

// TestManyMessages: eight teammates write each other 10,000 messages and read theirs meanwhile.
func TestManyMessages(t *testing.T) {
	t.Parallel()
	const mates = 8
	for kind, open := range kinds {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			b := open(t)
			messages := 10_000
			if kind == "directory" { // each is synced
				messages = effort.Of(t, messages/mates) * mates
			}
			begin, told := time.Now(), newTally()
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			var senders, takers sync.WaitGroup
			for i := range mates {
				name := fmt.Sprint("mate", i)
				senders.Go(func() {
					r := rand.New(rand.NewPCG(uint64(i), 1))
					for n := range messages / mates {
						to := fmt.Sprint("mate", (i+1+r.IntN(mates-1))%mates)
						if err := b.Put(to, letter{From: name, Number: n + 1}.json()); err != nil {
							t.Error(err)
						}
					}
				})
				takers.Go(func() {
					for {
						arrival := b.Arrival(name)
						taken, problems := b.Take(name, 4000)
						if len(problems) > 0 {
							t.Error(problems)
						}
						told.add(t, name, taken)
						if err := b.Confirm(name); err != nil {
							t.Error(err)
						}
						if len(taken) > 0 {
							continue
						}
						select {
						case <-arrival:
						case <-ctx.Done():
							return
						}
					}
				})
			}
			senders.Wait()
			took := time.Since(begin)
			for i := range mates {
				for b.Has(fmt.Sprint("mate", i)) {
					runtime.Gosched()
				}
			}
			cancel()
			takers.Wait()
			require.Len(t, told.seen, messages)
			t.Logf("%v for a message, with %d senders and %d takers at once", took/time.Duration(messages), mates, mates)
		})
	}
}

// TestUnreadableFile: one that this user may not read is damaged for this user.
func TestUnreadableFile(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" || syscall.Geteuid() == 0 {
		t.Skip("modes keep nothing from this user")
	}
	dir := t.TempDir()
	b := openDir(t, dir)
	require.NoError(t, b.Put("ann", json.RawMessage("1")))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "ann", "2-a.msg"), []byte("2"), 0))
	messages, problems := b.Take("ann", all)
	require.Len(t, messages, 1)
	require.Len(t, problems, 1)
	require.ErrorIs(t, problems[0], os.ErrPermission)
}

// BenchmarkMessage puts, takes and confirms one message.
func BenchmarkMessage(b *testing.B) {
	onDisk, err := mailbox.Open(b.TempDir(), nil)
	require.NoError(b, err)
	defer func() { require.NoError(b, onDisk.Close()) }()
	for name, boxes := range map[string]*mailbox.Boxes{"memory": mailbox.New(), "directory": onDisk} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				if err := boxes.Put("ann", letter{From: "bob", Number: 1}.json()); err != nil {
					b.Fatal(err)
				}
				if messages, _ := boxes.Take("ann", all); len(messages) != 1 {
					b.Fatal(len(messages))
				}
				if err := boxes.Confirm("ann"); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

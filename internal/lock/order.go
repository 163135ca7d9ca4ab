//go:build lockorder

// Package lock is the mutex of the engine. Built with the tag lockorder, it checks that
// locks are always acquired in the same order, so that no run of the tests may hide a
// deadlock. Without the tag it is [sync.Mutex].
package lock

import (
	"bytes"
	"fmt"
	"runtime"
	"runtime/debug"
	"slices"
	"strconv"
	"sync"
)

// A Mutex is a mutex whose Lock panics if the order of locks could deadlock: if this lock
// is acquired while another is held, and was ever held, directly or through further locks,
// while that other one was acquired.
type Mutex struct{ mu sync.Mutex }

// order is the graph of all acquisitions so far.
var order = graph{
	held:  map[int][]*Mutex{0: nil},
	after: map[*Mutex]map[*Mutex][]byte{nil: nil},
}

// A graph records which lock was acquired while which other was held. It keeps every
// mutex alive, so that no address is used twice.
type graph struct {
	mu    sync.Mutex
	held  map[int][]*Mutex             // by goroutine
	after map[*Mutex]map[*Mutex][]byte // locks acquired while one was held, with a stack
}

// Lock acquires m.
func (m *Mutex) Lock() {
	order.acquire(m)
	m.mu.Lock()
}

// Unlock releases m.
func (m *Mutex) Unlock() {
	order.release(m)
	m.mu.Unlock()
}

func (g *graph) acquire(m *Mutex) {
	id := goroutineID()
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, h := range g.held[id] {
		if h == m {
			panic("lock: a goroutine acquires a lock that it holds")
		}
		if stack := g.path(m, h); stack != nil {
			panic(fmt.Sprintf("lock: the order of two locks differs.\nNow:\n%s\nBefore:\n%s", debug.Stack(), stack))
		}
		if g.after[h] == nil {
			g.after[h] = map[*Mutex][]byte{}
		}
		if g.after[h][m] == nil {
			g.after[h][m] = debug.Stack()
		}
	}
	g.held[id] = append(g.held[id], m)
}

// path returns a stack on the way from one lock to another, or nil if there is no way.
func (g *graph) path(from, to *Mutex) []byte {
	seen, next := map[*Mutex]bool{from: true}, []*Mutex{from}
	for len(next) > 0 {
		m := next[0]
		next = next[1:]
		for n, stack := range g.after[m] {
			if n == to {
				return stack
			}
			if !seen[n] {
				seen[n], next = true, append(next, n)
			}
		}
	}
	return nil
}

func (g *graph) release(m *Mutex) {
	id := goroutineID()
	g.mu.Lock()
	defer g.mu.Unlock()
	if i := slices.Index(g.held[id], m); i >= 0 {
		g.held[id] = slices.Delete(g.held[id], i, i+1)
	} else { // acquired by another goroutine
		for other, held := range g.held {
			if i := slices.Index(held, m); i >= 0 {
				g.held[other] = slices.Delete(held, i, i+1)
			}
		}
	}
	if len(g.held[id]) == 0 {
		delete(g.held, id)
	}
}

// goroutineID returns the number that the runtime prints for the goroutine.
func goroutineID() int {
	var buf [64]byte
	text := bytes.TrimPrefix(buf[:runtime.Stack(buf[:], false)], []byte("goroutine "))
	number, _, _ := bytes.Cut(text, []byte(" "))
	id, _ := strconv.Atoi(string(number))
	return id
}

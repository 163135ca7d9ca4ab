package mailbox

import (
	"fmt"
	"slices"

	"github.com/seed49eaa51d/pegboard/internal/lock"
)

// memory keeps messages in memory. The zero value is empty.
type memory struct {
	mu    lock.Mutex
	boxes map[string]*memoryBox
}

// A memoryBox is one mailbox in memory.
type memoryBox struct {
	messages []memoryMessage // sorted by name
	taken    []memoryMessage // sorted by name
	bytes    int             // of messages and taken
}

type memoryMessage struct {
	name string
	data []byte
}

func byName(m memoryMessage, name string) int {
	switch {
	case m.name < name:
		return -1
	case m.name > name:
		return 1
	}
	return 0
}

// insert adds a message in the order of the names.
func insert(list []memoryMessage, m memoryMessage) []memoryMessage {
	at, _ := slices.BinarySearchFunc(list, m.name, byName)
	return slices.Insert(list, at, m)
}

// box returns a mailbox, which is not kept if it is new. The caller holds the lock.
func (m *memory) box(name string) *memoryBox {
	if b := m.boxes[name]; b != nil {
		return b
	}
	return &memoryBox{}
}

func (m *memory) put(box, name string, message []byte) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	b := m.box(box)
	if b.bytes+len(message) > maxBox {
		return fmt.Errorf("%w: %d bytes wait in it, and at most %d may", ErrFull, b.bytes, maxBox)
	}
	b.messages = insert(b.messages, memoryMessage{name: name, data: slices.Clone(message)})
	b.bytes += len(message)
	if m.boxes == nil {
		m.boxes = map[string]*memoryBox{}
	}
	m.boxes[box] = b
	return nil
}

func (m *memory) take(box string, limit int) (messages [][]byte, _ []FileError) {
	m.mu.Lock()
	defer m.mu.Unlock()
	b := m.box(box)
	n, size := 0, 0
	for n < len(b.messages) && (n == 0 || size+len(b.messages[n].data) <= limit) {
		size += len(b.messages[n].data)
		messages = append(messages, slices.Clone(b.messages[n].data))
		b.taken = insert(b.taken, b.messages[n])
		n++
	}
	b.messages = slices.Delete(b.messages, 0, n)
	return messages, nil
}

func (m *memory) confirm(box string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	b := m.box(box)
	for _, t := range b.taken {
		b.bytes -= len(t.data)
	}
	b.taken = nil
	if len(b.messages) == 0 {
		delete(m.boxes, box)
	}
	return nil
}

func (m *memory) giveBack(box string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	b := m.box(box)
	for _, t := range b.taken {
		b.messages = insert(b.messages, t)
	}
	b.taken = nil
	return nil
}

func (m *memory) has(box string) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.boxes[box] != nil && len(m.boxes[box].messages) > 0
}

func (m *memory) newest() int64 { return 0 }

func (m *memory) close() error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.boxes = nil
	return nil
}

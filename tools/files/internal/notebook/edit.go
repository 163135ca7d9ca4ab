package notebook

// An Edit is a notebook after one cell of it was changed.
type Edit struct {
	Data []byte // the whole file; the same as before if there was nothing to change
	Cell Cell   // after the edit, or as it was before a delete
	Old  string // its source before; "" for an insert

	Cleared    bool // outputs or an execution count were dropped with the old code
	Renumbered bool // later cells without an id go by another cell-<index> now
}

package notebook

// An Edit is the result of changing one cell of a notebook.
type Edit struct {
	Data []byte // new bytes of the file; unchanged if there was nothing to change
	Cell Cell   // cell after the edit; for a delete, the deleted cell
	Old  string // source before the edit; "" for an insert

	Cleared bool   // outputs or an execution count were removed together with the old code
	Names   *Names // of the cells after the edit
}

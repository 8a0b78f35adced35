// A list of what comes and goes with requests, in the order in which it came.
//
// A `Set` is slower here, by garbage. When its table is full it moves to a new one, and the old table still refers to its entries
// and to the new table. Once one of these tables is in the old generation of the garbage collector, all later ones follow, each with its
// entries: half of all requests, and the results they hold, stay in memory until the next full collection.

/** An item, and its neighbours in the list. It can be in one list only. */
export interface Linked<Item> {
  earlier: Item | null
  later: Item | null
}

export class LinkedList<Item extends Linked<Item>> {
  #first: Item | null = null
  #last: Item | null = null
  #size = 0

  get first(): Item | null {
    return this.#first
  }

  get size(): number {
    return this.#size
  }

  has(item: Item): boolean {
    return item.earlier !== null || this.#first === item
  }

  /** Adds an item that is in no list, at the end. */
  add(item: Item): void {
    item.earlier = this.#last
    if (this.#last === null) this.#first = item
    else this.#last.later = item
    this.#last = item
    this.#size++
  }

  /** False if the item is not in the list. A deleted item refers to no other, for the same reason. */
  delete(item: Item): boolean {
    if (!this.has(item)) return false
    const { earlier, later } = item
    if (earlier === null) this.#first = later
    else earlier.later = later
    if (later === null) this.#last = earlier
    else later.earlier = earlier
    item.earlier = null
    item.later = null
    this.#size--
    return true
  }
}

// The shelf of books that the stories of the console are about.

import type { Page } from 'playwright-core'
import { ConsoleStories } from './open-console.ts'

const sdl = `
  extend schema @service(name: "Shelf")
  type User @account @allow(to: [READ, CREATE]) @allow(who: "self", to: [UPDATE]) @allow(role: "admin") {
    id: ID! email: String! @unique @allow(who: "self", to: [READ]) @allow(role: "admin", to: [READ]) name: String! @label
  }
  type Author @allow(to: [READ]) @allow(role: "admin") { id: ID! name: String! @unique books: [Book!]! }
  type Book @allow(to: [READ]) @allow(role: "admin") {
    id: ID!
    title: String! @search @constraint(minLength: 3, maxLength: 80)
    pages: Int @constraint(min: 1)
    price: Decimal
    state: State! @default(value: DRAFT)
    author: Author
    note: String @allow(role: "admin")
    printedAt: DateTime
    extra: JSON
  }
  type Secret @allow(role: "admin") { id: ID! text: String! }
  enum State { DRAFT @next(to: [PRINTED], where: {pages: {isNull: false}}) PRINTED @next(to: [SOLD]) SOLD }
`

export class Shelf {
  readonly stories: ConsoleStories
  /** The ids of the authors. */
  readonly ids: Record<string, string> = {}

  private constructor(stories: ConsoleStories) {
    this.stories = stories
  }

  /** With one account, three authors, and books of the first two in turn. `moreTypes` belong to one test file. */
  static async open(books = 130, moreTypes = ''): Promise<Shelf> {
    const shelf = new Shelf(await ConsoleStories.open(sdl + moreTypes))
    const { service, admin } = shelf.stories
    await service.signUp('ann')
    for (const name of ['Ada', 'Ben', 'Zoë']) {
      shelf.ids[name] = (await service.succeed('POST', '/authors', { name }, admin)).id
    }
    const rows = Array.from({ length: books }, (_, index) => ({
      title: `Book ${String(index).padStart(3, '0')}`,
      pages: index + 1,
      author: index % 2 === 0 ? shelf.ids.Ada : shelf.ids.Ben,
      note: 'for staff',
    }))
    for (let start = 0; start < books; start += 100)
      await service.succeed('POST', '/books', rows.slice(start, start + 100), admin)
    return shelf
  }

  async bookNamed(title: string): Promise<Record<string, unknown>> {
    const found = await this.stories.row(`/books?title=${encodeURIComponent(title)}`)
    return (found as unknown as Record<string, unknown>[])[0]!
  }

  async newBook(title: string, more: object = {}): Promise<string> {
    const { service, admin } = this.stories
    return (await service.succeed('POST', '/books', { title, pages: 5, ...more }, admin)).id
  }

  /** The form of a book, for the developer. */
  async openBook(id: string): Promise<Page> {
    const page = await this.stories.asDeveloper(`/books/${id}`)
    await page.getByRole('textbox', { name: 'Title' }).waitFor()
    return page
  }
}

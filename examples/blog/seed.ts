// The initial data of the blog. It is the same each time, so that screenshots and docs match it. Rows that do not depend on each
// other are created concurrently, so that the store commits them together.

import { bios, commentLines, openings, people, photos, replies, subjects, tags } from './words.ts'

/** The accounts that can sign in, one for each role: ingrid_solberg@harbour.example is an editor, amara_okafor@… an author and
 *  noah_bergeron@… a reader. Only three, because hashing a password is slow on purpose. */
const signingIn = ['Ingrid Solberg', 'Amara Okafor', 'Noah Bergeron']
const password = 'fair winds'

type Row = { id: string } & Record<string, unknown>
type Make = (resource: string, input: object) => Promise<Row>

/** Returns the text for the banner of `twain dev`. */
export async function seed(make: Make): Promise<string> {
  const dice = new Dice(20_260)
  const [users, tagRows] = await Promise.all([makeUsers(make, dice), makeTags(make)])
  const [posts, pictures] = await Promise.all([makePosts(make, dice, users, tagRows), makePhotos(make, dice, users)])
  const comments = await makeComments(make, dice, users, [...posts, ...pictures])
  await makeReplies(make, dice, users, comments)
  await makeReaders(make, dice, [...posts, ...pictures, ...comments])
  const logins = signingIn.map((name) => `${handleOf(name)}@harbour.example`).join(', ')
  return `These can sign in with the password "${password}": ${logins}.`
}

function makeUsers(make: Make, dice: Dice): Promise<Row[]> {
  return Promise.all(
    people.map((name, index) => {
      const handle = handleOf(name)
      return make('User', {
        handle,
        name,
        email: `${handle}@harbour.example`,
        ...(signingIn.includes(name) ? { password } : {}),
        role: index < 2 ? 'EDITOR' : index < 12 ? 'AUTHOR' : 'READER',
        bio: bios[index % bios.length],
        links: index % 3 === 0 ? [{ label: 'Home page', url: `https://${handle.replace('_', '-')}.example/` }] : [],
        born: `${dice.between(1958, 2003)}-${two(dice.between(1, 12))}-${two(dice.between(1, 28))}`,
      })
    }),
  )
}

function makeTags(make: Make): Promise<Row[]> {
  return Promise.all(tags.map(([name, description]) => make('Tag', { name, description })))
}

function makePosts(make: Make, dice: Dice, users: Row[], tagRows: Row[]): Promise<Row[]> {
  const authors = users.slice(0, 12)
  return Promise.all(
    Array.from({ length: 120 }, (_, index) => {
      const subject = subjects[index % subjects.length]!
      const opening = openings[Math.floor(index / subjects.length) % openings.length]!
      const title = `${opening.before}${subject.about}${opening.after}`
      const status =
        index % 9 === 0 ? 'DRAFT' : index % 17 === 0 ? 'IN_REVIEW' : index % 23 === 0 ? 'ARCHIVED' : 'PUBLISHED'
      const body = [opening.lead, ...dice.some(subject.lines, 3), subject.end].join('\n\n')
      return make('Post', {
        slug: `${slugOf(title)}-${index + 1}`,
        title,
        body,
        status,
        author: dice.one(authors).id,
        tags: dice.some(tagRows, dice.between(1, 4)).map((tag) => tag.id),
        seo: index % 2 === 0 ? { title: title.slice(0, 70), description: opening.lead, keywords: subject.words } : null,
        words: body.split(/\s+/).length,
        remarks: status === 'IN_REVIEW' ? 'Good. Please say where one can buy the parts.' : null,
        rating: index % 5 === 0 ? null : dice.between(20, 50) / 10,
        publishedAt: status === 'PUBLISHED' || status === 'ARCHIVED' ? dayBack(index * 3, dice) : null,
      })
    }),
  )
}

/** A sky of 8 × 8 points. */
const sky =
  'iVBORw0KGgoAAAANSUhEUgAAAAgAAAAICAIAAABLbSncAAAAOElEQVR42mOImnYHK2JIm3cHK2IoWnYHK2KoW3cHK2Lo2nYHK2KYtu8OVsSw6NgdrIhh3bk7WBEAH2eEgQavcMQAAAAASUVORK5CYII='

async function makePhotos(make: Make, dice: Dice, users: Row[]): Promise<Row[]> {
  const picture = await make('File', { name: 'sky.png', mediaType: 'image/png', bytes: Buffer.from(sky, 'base64') })
  return Promise.all(
    photos.map((title, index) =>
      make('Photo', {
        title,
        url: `https://pictures.harbour.example/${slugOf(title)}.jpg`,
        picture: index === 0 ? picture.id : null,
        takenOn: dayBack(index * 11, dice).slice(0, 10),
        by: dice.one(users).id,
      }),
    ),
  )
}

function makeComments(make: Make, dice: Dice, users: Row[], things: Row[]): Promise<Row[]> {
  return Promise.all(
    Array.from({ length: 320 }, () =>
      make('Comment', { body: dice.one(commentLines), author: dice.one(users).id, on: dice.one(things).id }),
    ),
  )
}

function makeReplies(make: Make, dice: Dice, users: Row[], comments: Row[]): Promise<Row[]> {
  return Promise.all(
    Array.from({ length: 80 }, () => {
      const parent = dice.one(comments)
      return make('Comment', {
        body: dice.one(replies),
        author: dice.one(users).id,
        on: parent.on,
        parent: parent.id,
      })
    }),
  )
}

/** Accounts that only read have favourites from the start: these need the rows that they point at. */
function makeReaders(make: Make, dice: Dice, things: Row[]): Promise<Row[]> {
  return Promise.all(
    ['Quiet Reader', 'Night Reader', 'Ferry Commuter'].map((name) =>
      make('User', {
        handle: handleOf(name),
        name,
        email: `${handleOf(name)}@harbour.example`,
        pinned: dice.one(things).id,
        favourites: dice.some(things, 12).map((thing) => thing.id),
      }),
    ),
  )
}

/** A small generator of numbers (mulberry32): no seed data may depend on the day it is made. */
class Dice {
  #state: number

  constructor(seed: number) {
    this.#state = seed
  }

  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }

  between(least: number, most: number): number {
    return least + Math.floor(this.next() * (most - least + 1))
  }

  one<T>(items: readonly T[]): T {
    return items[this.between(0, items.length - 1)]!
  }

  some<T>(items: readonly T[], count: number): T[] {
    const left = [...items]
    return Array.from(
      { length: Math.min(count, left.length) },
      () => left.splice(this.between(0, left.length - 1), 1)[0]!,
    )
  }
}

function dayBack(days: number, dice: Dice): string {
  const noon = Date.UTC(2026, 8, 30, 12)
  return new Date(noon - days * 86_400_000 + dice.between(-300, 300) * 60_000).toISOString()
}

function handleOf(name: string): string {
  return plain(name).replace(/[^a-z]+/g, '_')
}

function slugOf(title: string): string {
  return plain(title)
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '')
}

function plain(text: string): string {
  return text.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase()
}

function two(number: number): string {
  return String(number).padStart(2, '0')
}

// `npm run soak -- disconnects=1000`: faults/disconnects.test.ts with 1,000 disconnects, unless you name another number.
// stores: sqlite, postgres

process.env.TWAIN_DISCONNECTS = process.argv[2] ?? '1000'
await import('../faults/disconnects.test.ts')

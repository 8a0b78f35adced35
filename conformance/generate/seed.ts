// Where a property begins to draw. The same in every run, so that a suite that was green is green again on the same code;
// TWAIN_PROPERTY_SEED=random draws anew (to look for what nobody has seen yet), a number repeats what a failure told.

const wanted = process.env.TWAIN_PROPERTY_SEED ?? '1'

export const propertySeed = wanted === 'random' ? Date.now() % 1_000_000 : Number(wanted)

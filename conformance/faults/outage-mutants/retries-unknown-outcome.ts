import { takeFor } from './misread-lost-commit.ts'

takeFor('40001') // serialization_failure: undone, so it is made once more

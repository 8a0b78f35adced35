import { misreadLostCommitAs } from './misread-lost-commit.ts'

misreadLostCommitAs('40001') // serialization_failure: undone, so it is made once more

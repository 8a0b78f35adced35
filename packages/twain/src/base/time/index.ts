export { steadyClock } from './steady-clock.ts'
export {
  clearInterval,
  clearTimeout,
  monotonicTime,
  randomBytes,
  randomFillSync,
  randomFraction,
  randomUUID,
  setInterval,
  setTimeout,
  sleep,
  sleptTime,
  timeoutSignal,
  wallTime,
} from './time.ts'

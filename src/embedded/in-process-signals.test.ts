import { signalsConformance } from '../../tests/conformance/signals-conformance.ts'
import { openInProcessSignals } from './in-process-signals.ts'

signalsConformance('in-process', async () => openInProcessSignals())

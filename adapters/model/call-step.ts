/** Points of a call at which a crash test may strike, in order. */
export type CallStep = 'reserved' | 'sent' | 'first_byte' | 'answer_arrived' | 'answer_stored' | 'received';

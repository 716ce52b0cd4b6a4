-- Schema 3: codes for the sentences that earlier versions stored.
UPDATE row SET why = coded(why), class_why = coded(class_why) WHERE why IS NOT NULL OR class_why IS NOT NULL;
UPDATE job SET stop_why = coded(stop_why), note = coded(note), look_note = coded(look_note),
               owner_label = coded(owner_label);
UPDATE request SET why = coded(why) WHERE why IS NOT NULL;
UPDATE fact SET evidence = coded(evidence);
-- The origin of a job, in JSON, holds how its file was read.
UPDATE job SET origin = json_set(origin, '$.read_as', json(coded_parts(json_extract(origin, '$.read_as'))))
WHERE json_type(origin, '$.read_as') = 'text';

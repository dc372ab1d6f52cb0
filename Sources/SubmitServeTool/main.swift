import SubmitServe
begin()

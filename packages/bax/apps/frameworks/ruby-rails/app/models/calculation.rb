class Calculation < ApplicationRecord
  validates :expression, :result, presence: true
end

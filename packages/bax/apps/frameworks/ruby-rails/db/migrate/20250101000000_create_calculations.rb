class CreateCalculations < ActiveRecord::Migration[8.0]
  def change
    create_table :calculations do |t|
      t.string :expression, null: false
      t.string :result, null: false

      t.timestamps
    end
  end
end
